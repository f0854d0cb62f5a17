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
		return o.list(journal)
	}
	entry, err := journal.Entry(args[0])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(exitFailure, "gapctl undo lists those that can be undone", "no repair %s in %s", args[0], journal.Dir)
	case err != nil:
		return err
	}
	targets := repair.Undo{Done: entry.Plan}.Targets()
	q := inspect.Query{Groups: []string{entry.Plan.Group}, Topics: topicsOf(targets)}
	return o.repairing.run(ctx, q, func(_ context.Context, _ *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		if s.ClusterID != entry.Plan.ClusterID {
			return nil, refused(fmt.Errorf("%w: for %q, and this is %q", repair.ErrOtherCluster, entry.Plan.ClusterID, s.ClusterID))
		}
		return repair.Undo{ID: entry.ID, Done: entry.Plan}, nil
	})
}

// list prints the journal.
func (o *undoOptions) list(journal repair.Journal) error {
	print, err := o.repairing.app.printer(o.repairing.output)
	if err != nil {
		return err
	}
	entries, bad, err := journal.Entries()
	if err != nil {
		return err
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
