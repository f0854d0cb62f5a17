package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type resetOptions struct {
	repairing         repairing
	choice            choice
	to                destination
	keepDone          bool
	done, outstanding string
	clearMetadata     bool
	clamp             bool
	gapFormat         string
}

func (a *app) resetCommand() *cobra.Command {
	o := &resetOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "reset GROUP --to-…",
		Short: "move the stable offset, or say what is done and what is outstanding",
		Long: `reset moves the stable offset of a group's partitions. Forward to X:
everything below X counts as done, and gaps at or above X stay. Back to X:
everything from X on is outstanding again, unless --keep-done keeps what was
done above the stable offset. --done and --outstanding change single records
of one partition instead. Whatever stays true of the gaps is kept.

Where --topic or --from-file names a partition for which nothing is committed,
it gets a commit, and the plan calls it new; --to-current is then the log end.
--delete-offsets leaves nothing committed; of a share group it takes whole
topics, and the state of all deliveries with them. gapctl undo brings a commit
back, of a share group the start offset alone.

The plan counts the outstanding records that would be skipped, and the
finished ones that would be processed again. Without --execute it prints the
plan, and nothing is written.`,
		Example: `  gapctl reset billing --to-datetime 2026-03-14T00:00:00Z
  gapctl reset billing --topic orders/2 --done 840-842
  gapctl reset billing --topic orders --to-earliest --keep-done --execute`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl skip, gapctl gaps, gapctl undo"),
		RunE:        a.running(o.run),
	}
	flags := cmd.Flags()
	o.to.bind(flags)
	flags.BoolVar(&o.keepDone, "keep-done", false, "going back, keep what was done above the stable offset")
	flags.StringVar(&o.done, "done", "", "these `OFFSETS` of the one partition that --topic names are done: 17-19,23")
	flags.StringVar(&o.outstanding, "outstanding", "", "these `OFFSETS` of the one partition that --topic names are outstanding")
	flags.BoolVar(&o.clearMetadata, "clear-metadata", false, "drop metadata that can not be read, or is not gaps, and keep the committed offset")
	flags.BoolVar(&o.clamp, "clamp", false, "take the nearest end of the log for what lies outside of it, instead of refusing")
	bindGapFormat(cmd, &o.gapFormat)
	o.choice.bind(cmd)
	o.repairing.bind(cmd)
	return cmd
}

// bindGapFormat adds the flag of the commands that may make gaps where there
// were none.
func bindGapFormat(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "gap-format", "", "write gaps in `FORMAT` where a commit has none yet (default that of the group's other commits)")
	completeWithFormats(cmd, "gap-format", codec.Format.Writable)
}

func (o *resetOptions) run(ctx context.Context, groups []string) error {
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	op, err := o.op(q.Topics)
	if err != nil {
		return err
	}
	makeOp, err := o.to.opFor(o.repairing.app, groups[0], op)
	if err != nil {
		return err
	}
	err = o.repairing.runReset(ctx, q, o.withUncommitted(q, makeOp))
	if errors.As(err, new(missingGroup)) {
		return fail(exitFailure, "a reset changes groups that exist; kafka-consumer-groups --reset-offsets makes one, kafka-share-groups a share group", "%w", err)
	}
	return err
}

// withUncommitted is makeOp on a group that has also the partitions for which
// nothing is committed, where they are named.
func (o *resetOptions) withUncommitted(q inspect.Query, makeOp opFor) opFor {
	return func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		g := &s.Groups[0]
		moves := len(o.to.given()) > 0 && !o.to.none && g.Type != "share" && len(q.Formats) == 0
		if moves && len(q.Topics) > 0 && o.to.file == "" {
			if err := repair.AddUncommitted(ctx, store, g, q.Topics); err != nil {
				return nil, err
			}
		}
		op, err := makeOp(ctx, store, s)
		if reset, ok := op.(repair.Reset); ok && err == nil && moves && o.to.file != "" {
			named := slices.DeleteFunc(topicsOf(reset.Targets()), func(t inspect.TopicFilter) bool {
				return !q.Topics.Match(t.Topic, t.Partitions[0])
			})
			err = repair.AddUncommitted(ctx, store, g, named)
		}
		return op, err
	}
}

// runReset gathers the whole group first: in which format its gaps are is a
// matter of all its commits. Then it keeps the partitions that q asks for.
func (r *repairing) runReset(ctx context.Context, q inspect.Query, makeOp opFor) error {
	whole := inspect.Query{Groups: q.Groups}
	return r.run(ctx, whole, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		format := repair.OnlyFormat(&s.Groups[0])
		s.Groups[0].Partitions = slices.DeleteFunc(s.Groups[0].Partitions, func(p inspect.Partition) bool {
			return !q.Topics.Match(p.Topic, p.Partition) || len(q.Formats) > 0 && !slices.Contains(q.Formats, p.Format)
		})
		op, err := makeOp(ctx, store, s)
		if reset, ok := op.(repair.Reset); ok && reset.GapFormat == "" {
			reset.GapFormat = format
			op = reset
		}
		if err == nil {
			err = r.checkNamed(ctx, store, &s.Groups[0], q, op)
		}
		return op, err
	})
}

// op is the reset without its destination.
func (o *resetOptions) op(topics inspect.Topics) (repair.Reset, error) {
	op := repair.Reset{KeepDone: o.keepDone, ClearMetadata: o.clearMetadata, Clamp: o.clamp, GapFormat: o.gapFormat}
	if o.gapFormat != "" {
		if err := checkFormat(o.gapFormat); err != nil {
			return op, err
		}
	}
	given, edits := o.to.given(), o.done != "" || o.outstanding != ""
	switch {
	case len(given) > 1:
		return op, usage("", "%s at once: want one", strings.Join(given, " and "))
	case len(given) == 1 && edits:
		return op, usage("one after the other", "%s together with --done or --outstanding", given[0])
	case len(given) == 0 && !edits && !o.clearMetadata:
		return op, usage("such as --to-earliest, --to-offset 17, --done 17-19; gapctl help reset shows them all", "reset to where?")
	case o.to.none && (o.keepDone || o.clearMetadata || o.clamp):
		return op, usage("", "--delete-offsets keeps nothing: it goes with no other flag of reset but --topic and --format")
	case len(given) == 0 && o.keepDone:
		return op, usage("", "--keep-done needs to know where to go back to")
	}
	var err error
	if op.Done, err = editTargets("done", o.done, topics); err != nil {
		return op, err
	}
	if op.Outstanding, err = editTargets("outstanding", o.outstanding, topics); err != nil {
		return op, err
	}
	if len(op.Done) > 0 && len(op.Outstanding) > 0 && !op.Done[0].Ranges.Intersect(op.Outstanding[0].Ranges).Empty() {
		return op, usage("", "the same offset can not be both done and outstanding")
	}
	return op, nil
}

// editTargets are the offsets of a flag, in the one partition of topics.
func editTargets(flag, offsets string, topics inspect.Topics) ([]repair.Target, error) {
	if offsets == "" {
		return nil, nil
	}
	if len(topics) != 1 || len(topics[0].Partitions) != 1 {
		return nil, usage("--topic orders/2", "--%s needs --topic with one partition", flag)
	}
	ranges, err := codec.ParseRanges(offsets)
	if err != nil {
		return nil, usage("", "--%s: %w", flag, err)
	}
	return []repair.Target{{Topic: topics[0].Topic, Partition: topics[0].Partitions[0], Ranges: ranges}}, nil
}
