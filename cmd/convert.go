package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/repair"
)

type convertOptions struct {
	repairing repairing
	choice    choice
	to        string
}

func (a *app) convertCommand() *cobra.Command {
	o := &convertOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "convert GROUP --to FORMAT",
		Short: "write the same gaps in another format",
		Long: `convert writes what a group has committed in another format, for when its
consumers move from one library to another. What is done and what is outstanding
stays exactly the same; where the format has no room for it, it is refused.

The native format keeps the gaps in a compacted topic, without a limit on their
number: --execute makes that topic where there is none, and writes gaps and
offsets in one transaction. Converting from it deletes its records likewise.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl convert billing --to greyhound
  gapctl convert billing --to native
  gapctl convert loyalty-points --to parallel-consumer --execute`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl-formats(7), gapctl describe, gapctl undo"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `FORMAT` to write")
	completeWithFormats(cmd, "to", codec.Format.Writable)
	o.choice.bind(cmd)
	o.repairing.bind(cmd)
	return cmd
}

func (o *convertOptions) run(ctx context.Context, groups []string) error {
	if o.to == "" {
		return usage("gapctl help formats shows them", "--to says which format to write")
	}
	if err := checkFormat(o.to); err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	return o.repairing.run(ctx, q, just(repair.Convert{To: o.to}))
}
