package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

type gapsOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
	every      everyGroup
}

func (a *app) gapsCommand() *cobra.Command {
	o := &gapsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "gaps GROUP… | --all",
		Short: "list the gaps of groups, one per row",
		Long: `gaps lists the gaps of groups: one row per maximal range of offsets that are
not committed. It is made for scripts.

Text and CSV have FIRST and LAST, both included; JSON has half-open ranges:
"start" is in the gap, and "end" is not.`,
		Example: `  gapctl gaps billing
  gapctl gaps billing --topic orders/2 -o csv
  gapctl gaps --all -o json | jq '[.gaps[].count] | add'`,
		Args:        o.every.checkArgs,
		Annotations: related("gapctl describe, gapctl list"),
		RunE:        a.running(o.run),
	}
	o.every.bind(cmd)
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
	q.All, q.SkipAges = o.every.all, true
	s, gathered := o.app.gather(ctx, &o.connection, q)
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	o.sayRowless(&s, groups)
	return o.app.show(print, inspect.NewGapsView(s), s, groups, gathered)
}

// sayRowless says why a group or partition that was asked for has no row. What
// of a named group can not be decoded is told as the error of the command.
func (o *gapsOptions) sayRowless(s *inspect.Snapshot, named []string) {
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Err == nil && g.Sums().GapCount <= 0 && !o.every.all {
			o.app.say(fmt.Sprintf("group %s has no gaps", g.Name))
		}
		for k := range g.Partitions {
			p := &g.Partitions[k]
			var bad *codec.Error
			if errors.As(p.Err, &bad) && !errors.Is(bad, codec.ErrUnknownFormat) && !slices.Contains(named, g.Name) {
				o.app.say(fmt.Sprintf("%s has no rows: %v", p.Key, bad))
			}
		}
	}
}
