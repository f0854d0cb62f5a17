package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type compactOptions struct {
	repairing repairing
	choice    choice
}

func (a *app) compactCommand() *cobra.Command {
	o := &compactOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "compact GROUP",
		Short: "close gaps that hold no record, without changing any outcome",
		Long: `compact closes the gaps that can never close by themselves: those whose records
retention has removed, and those that never held a record a consumer could get,
such as transaction markers. It moves the stable offset on over them, and writes
what is left in the smallest encoding of the same format. No record that a
consumer could still get is skipped or processed again.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl compact audit-export
  gapctl compact ledger --topic transfers/0 --plan ledger.json
  gapctl compact audit-export --execute --yes -o json`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl describe, gapctl reset, gapctl undo"),
		RunE:        a.running(o.run),
	}
	o.choice.bind(cmd)
	o.repairing.bind(cmd)
	return cmd
}

func (o *compactOptions) run(ctx context.Context, groups []string) error {
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	return o.repairing.run(ctx, q, compactFound)
}

// compactFound looks for gaps that hold no record, which only reading the log
// can tell.
func compactFound(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
	return repair.Compact{}, inspect.FindPhantoms(ctx, store, s)
}
