package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

type listOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
	all        bool
	exitCode   bool
}

func (a *app) listCommand() *cobra.Command {
	o := &listOptions{app: a}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the groups that hold gap commits",
		Long: `list shows every group that holds gap commits, of every format, with what is
outstanding, since when, and the worst that is wrong with it. Groups whose bytes
can not be read are among them.

OUTSTANDING is the records in gaps. LAG is what plain tools print: all from the
stable offset on. TRUE-LAG is what really remains to be done.`,
		Example: `  gapctl list
  gapctl list --all -o wide
  gapctl list --topic orders --format parallel-consumer -o json`,
		Args:        cobra.NoArgs,
		Annotations: related("gapctl describe, gapctl gaps"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "every group, also those without gap commits")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 3 when a finding is a warning or an error")
	o.choice.bind(cmd)
	o.connection.bind(cmd.Flags())
	o.output.bind(cmd)
	return cmd
}

func (o *listOptions) run(ctx context.Context, _ []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	q, err := o.choice.query(nil)
	if err != nil {
		return err
	}
	q.All, q.GapsOnly = true, !o.all
	var groups []inspect.GroupView
	var read reading
	found, hidden := alarms{}, false
	q.Each = func(g *inspect.Group) {
		groups = append(groups, inspect.NewGroupView(g))
		read.add(g, false)
		found.add(g)
		hidden = hidden || mayBeHidden(g)
	}
	defer o.app.boundMemory(listHeap)()
	s, err := o.app.gather(ctx, &o.connection, q)
	if err != nil {
		return err
	}
	if hidden {
		o.app.sayHidden()
	}
	if len(groups) == 0 {
		o.app.say(o.nothing())
	}
	if err := print(inspect.NewListView(s, groups...)); err != nil {
		return err
	}
	if err := read.verdict(&s); err != nil || !o.exitCode {
		return err
	}
	return found.attention()
}

// listHeap is how far the heap may grow before garbage is collected: groups are
// not kept, however many there are.
const listHeap = 192 << 20

func (o *listOptions) nothing() string {
	switch {
	case o.choice.given():
		return "no group fits --topic and --format"
	case o.all:
		return "the cluster has no groups"
	}
	return "no group holds gap commits; gapctl list --all shows every group"
}
