package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type skipOptions struct {
	repairing repairing
	gapFormat string
}

func (a *app) skipCommand() *cobra.Command {
	o := &skipOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "skip GROUP TOPIC/PARTITION@OFFSETS…",
		Short: "get past single records, and keep everything else",
		Long: `skip marks records as done that can not be processed, so that the others go
on. It is gapctl reset --done in one word. Offsets are such as 17, 17-19 and
17-19,23; both ends of a range are included.

In a share group, which may be at work, gapctl becomes a member for a moment:
it acquires the records, accepts exactly these, and releases what it had to
acquire on the way, each of which then counts one delivery more.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl skip billing orders/2@833
  gapctl skip billing orders/0@833-836 orders/1@850 --plan skip.json
  gapctl skip billing orders/2@833 --execute`,
		Args:        cobra.MinimumNArgs(2),
		Annotations: related("gapctl gaps, gapctl reset, gapctl undo"),
		RunE:        a.running(o.run),
	}
	bindGapFormat(cmd, &o.gapFormat)
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
	q := inspect.Query{Groups: args[:1], Topics: topicsOf(targets)}
	return o.repairing.runReset(ctx, q, just(repair.Reset{Done: targets, GapFormat: o.gapFormat}))
}

// topicsOf chooses the partitions of targets, and no other.
func topicsOf(targets []repair.Target) inspect.Topics {
	var topics inspect.Topics
	for _, t := range targets {
		topics = append(topics, inspect.TopicFilter{Topic: t.Topic, Partitions: []int32{t.Partition}})
	}
	return topics
}
