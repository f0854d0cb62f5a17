package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

type gapsOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
}

func (a *app) gapsCommand() *cobra.Command {
	o := &gapsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "gaps GROUP…",
		Short: "list the gaps of a group, one per row",
		Long: `gaps lists the gaps of a group: one row per maximal range of offsets that are
not committed. It is made for scripts.

Text and CSV have FIRST and LAST, both included; JSON has half-open ranges:
"start" is in the gap, and "end" is not.`,
		Example: `  gapctl gaps billing
  gapctl gaps billing --topic orders/2 -o csv
  gapctl gaps billing -o json | jq '[.gaps[].count] | add'`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: related("gapctl describe, gapctl list"),
		RunE:        a.running(o.run),
	}
	o.choice.bind(cmd)
	o.connection.bind(cmd.Flags())
	o.output.bind(cmd)
	return cmd
}

func (o *gapsOptions) run(ctx context.Context, groups []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	q.SkipAges = true
	s, gathered := o.app.gather(ctx, &o.connection, q)
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	o.sayGapless(&s)
	return o.app.show(print, inspect.NewGapsView(s), s, groups, gathered)
}

// sayGapless says which groups have no gaps, so that no row is no riddle.
func (o *gapsOptions) sayGapless(s *inspect.Snapshot) {
	for i := range s.Groups {
		if g := &s.Groups[i]; g.GapCount() <= 0 && g.Err == nil {
			o.app.say(fmt.Sprintf("group %s has no gaps", g.Name))
		}
	}
}
