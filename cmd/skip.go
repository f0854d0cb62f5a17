package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type skipOptions struct {
	repairing repairing
	keys      keys
	gapFormat string
}

func (a *app) skipCommand() *cobra.Command {
	o := &skipOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "skip GROUP [TOPIC/PARTITION@OFFSETS…]",
		Short: "get past single records, and keep everything else",
		Long: `skip marks records as done that can not be processed, so that the others go
on. It is gapctl reset --done in one word. Offsets are such as 17, 17-19 and
17-19,23; both ends of a range are included.

The key flags choose among the outstanding records, in the offsets that are
named or in all of them. They are read to make the plan, which then names them.

In a share group, which may be at work, gapctl becomes a member for a moment:
it acquires the records, accepts exactly these, and releases what it had to
acquire on the way, each of which then counts one delivery more.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl skip billing orders/2@833
  gapctl skip billing --key customer-17 --plan skip.json
  gapctl skip billing orders/2@833 --execute`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: related("gapctl gaps, gapctl reset, gapctl undo"),
		RunE:        a.running(o.run),
	}
	bindGapFormat(cmd, &o.gapFormat)
	o.keys.bind(cmd)
	o.repairing.bind(cmd)
	return cmd
}

func (o *skipOptions) run(ctx context.Context, args []string) error {
	targets, err := repair.ParseTargets(args[1:])
	if err != nil {
		return usage("", "%w", err)
	}
	if o.gapFormat != "" {
		if err := checkFormat(o.gapFormat); err != nil {
			return err
		}
	}
	filter, err := o.keys.filter()
	switch {
	case err != nil:
		return err
	case filter.All() && len(targets) == 0:
		return usage("gapctl skip billing orders/2@833, or --key", "skip what? Name offsets, or keys")
	}
	op := repair.Reset{Done: targets, GapFormat: o.gapFormat}
	q := inspect.Query{Groups: args[:1], Topics: topicsOf(targets)}
	if filter.All() {
		return o.repairing.runReset(ctx, q, just(op))
	}
	return o.repairing.runReset(ctx, q, o.chosen(op, filter))
}

// chosen completes op with the outstanding records of the keys.
func (o *skipOptions) chosen(op repair.Reset, filter inspect.KeyFilter) opFor {
	return func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		g := &s.Groups[0]
		choice := repair.Choice{Query: inspect.RecordQuery{Keys: filter, AllPartitions: o.keys.all}}
		for _, t := range op.Done {
			choice.Query.Only = append(choice.Query.Only, gapstore.Target(t))
		}
		chosen, err := choice.Choose(ctx, store, g)
		if err != nil {
			return nil, err
		}
		op.Done = chosen.Only
		if len(op.Done) == 0 {
			o.repairing.app.say("no outstanding record has such a key")
			return op, nil
		}
		topics := topicsOf(op.Done)
		g.Partitions = slices.DeleteFunc(g.Partitions, func(p inspect.Partition) bool { return !topics.Match(p.Topic, p.Partition) })
		return op, nil
	}
}

// topicsOf chooses the partitions of targets, and no other.
func topicsOf(targets []repair.Target) inspect.Topics {
	var topics inspect.Topics
	for _, t := range targets {
		topics = append(topics, inspect.TopicFilter{Topic: t.Topic, Partitions: []int32{t.Partition}})
	}
	return topics
}
