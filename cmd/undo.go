package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type undoOptions struct {
	repairing repairing
}

func (a *app) undoCommand() *cobra.Command {
	o := &undoOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "undo [ID]",
		Short: "go back to what was before a repair",
		Long: `undo writes back, byte for byte, what a repair has replaced, wherever what the
repair left still stands. It is a repair itself: it is planned, approved and
recorded, and it can be undone. Without an ID it lists the repairs that can be
undone on this machine.

A replay that was stopped half way is undone as far as it got; copies stay where
they are. Of a share group only the start offset can go back: the broker keeps
no copy of the delivery state that a reset wipes, and takes back no
acknowledgement, so that gapctl skip is for good.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl undo
  gapctl undo 20260314T031200Z
  gapctl undo 20260314T031200Z --execute --yes`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: related("gapctl compact, gapctl reset, gapctl apply"),
		RunE:        a.running(o.run),
	}
	o.repairing.bind(cmd)
	return cmd
}

func (o *undoOptions) run(ctx context.Context, args []string) error {
	journal, err := o.repairing.app.journal()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if r := &o.repairing; r.execution.execute || r.execution.yes || r.planFile != "" {
			return usage("gapctl undo lists the repairs that can be undone, with their IDs", "undo what? No ID is given")
		}
		return o.list(journal)
	}
	entry, err := journal.Entry(args[0])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(exitFailure, "gapctl undo lists those that can be undone", "no repair %s in %s", args[0], journal.Dir)
	case err != nil:
		return fail(exitFailure, "gapctl undo lists those that can be undone", "%w", err)
	}
	undo := repair.Undo{ID: entry.ID, Done: entry.Plan, Left: entry.Left}
	topics := topicsOf(undo.Targets())
	q := inspect.Query{Groups: []string{entry.Plan.Group}, Topics: topics}
	return o.repairing.runOn(ctx, o.repairing.app.gatherGone, q, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		if s.ClusterID != entry.Plan.ClusterID {
			return nil, refused(fmt.Errorf("%w: for %q, and this is %q", repair.ErrOtherCluster, entry.Plan.ClusterID, s.ClusterID))
		}
		switch g := &s.Groups[0]; {
		case !entry.Plan.Shared():
		case g.Type == "": // it is gone
			g.Type = "share"
		case g.Type != "share":
			return nil, refused(fmt.Errorf("%w: %s is no share group any more", repair.ErrRefused, g.Name))
		}
		return undo, repair.AddUncommitted(ctx, store, &s.Groups[0], topics)
	})
}

// gatherGone is gatherMore of one group, which may be gone: a group of which all
// commits are deleted is.
func (a *app) gatherGone(ctx context.Context, c *connection, q inspect.Query, more followUp) (inspect.Snapshot, error) {
	store, s, err := a.readOpen(ctx, c, q, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error {
		if g := &s.Groups[0]; errors.Is(g.Err, gapstore.ErrNotFound) {
			g.Err = nil
		}
		if err := more(ctx, store, s); err != nil {
			return causeOf(ctx, err)
		}
		for _, notice := range s.Notices {
			a.say(notice)
		}
		return nil
	})
	if store != nil {
		store.Close()
	}
	return s, err
}

// list prints the journal.
func (o *undoOptions) list(journal repair.Journal) error {
	print, err := o.repairing.app.printer(o.repairing.output)
	if err != nil {
		return err
	}
	entries, bad, err := journal.Entries()
	if err != nil {
		return fail(exitFailure, "XDG_STATE_HOME names the directory that gapctl/journal is in", "%w", err)
	}
	for _, b := range bad {
		o.repairing.app.say(b.Error())
	}
	v := repair.NewJournalView(entries)
	if len(v.Repairs) == 0 {
		o.repairing.app.say("there is no repair to undo in " + journal.Dir)
	}
	return print(v)
}
