package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

type describeOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
	every      everyGroup
	exitCode   bool
}

func (a *app) describeCommand() *cobra.Command {
	o := &describeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "describe GROUP… | --all",
		Short: "show what is stuck in a group, since when, and why",
		Long: `describe shows each partition of a group: the stable offset (all before it is
committed), the max offset (one past the furthest committed), the gaps between,
what is outstanding and since when, and how much room the format has left. Below
stands what is wrong, and the command that resolves it.

Text shows gaps with both ends included (3-5 is 3, 4 and 5); JSON has half-open
ranges ({"start":3,"end":6}). A GROUP may be a pattern, such as 'billing-*'.`,
		Example: `  gapctl describe billing
  gapctl describe billing --topic orders/0,2 -o wide
  gapctl describe --all -o jq='.groups[].partitions[] | select(.gap_count > 0)'`,
		Args:        o.every.checkArgs,
		Annotations: related("gapctl list, gapctl gaps"),
		RunE:        a.running(o.run),
	}
	o.every.bind(cmd)
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 3 when a finding is a warning or an error")
	o.choice.bind(cmd)
	o.connection.bind(cmd.Flags())
	o.output.bind(cmd)
	return cmd
}

func (o *describeOptions) run(ctx context.Context, groups []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	q.All = o.every.all
	s, gathered := o.app.gatherMore(ctx, &o.connection, q, inspect.FindSlotHolders)
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	o.app.sayEmpty(&s, o.choice.given())
	if err := o.app.show(print, inspect.NewDescribeView(s), s, groups, gathered); err != nil || !o.exitCode {
		return err
	}
	return attention(&s)
}

// sayEmpty says which groups of s have nothing to show, and why.
func (a *app) sayEmpty(s *inspect.Snapshot, chosen bool) {
	why := "has committed nothing"
	if chosen {
		why = "has no partition that fits --topic and --format"
	}
	for i := range s.Groups {
		if g := &s.Groups[i]; len(g.Partitions) == 0 && g.Err == nil {
			a.say(fmt.Sprintf("group %s %s", g.Name, why))
		}
	}
}
