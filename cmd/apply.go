package cmd

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/repair"
)

type applyOptions struct {
	app        *app
	connection connection
	output     output
	execution  execution
}

func (a *app) applyCommand() *cobra.Command {
	o := &applyOptions{app: a}
	cmd := &cobra.Command{
		Use:   "apply PLAN",
		Short: "carry out a saved plan",
		Long: `apply carries out a plan that --plan has saved, on the cluster that it was made
for. It asks for approval on a terminal, or needs --yes. It refuses a plan that
was changed since, and writes nothing when anything that the plan saw has moved.

A plan may be applied again: what it wants and stands already is left alone.`,
		Example: `  gapctl apply ledger.json
  gapctl apply ledger.json --yes
  gapctl apply ledger.json --yes -o json`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl compact, gapctl reset, gapctl undo"),
		RunE:        a.running(o.run),
	}
	o.connection.bind(cmd.Flags())
	o.output.bind(cmd)
	o.execution.bind(cmd)
	return cmd
}

func (o *applyOptions) run(ctx context.Context, args []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	plan, err := repair.LoadPlan(args[0])
	switch {
	case errors.Is(err, repair.ErrBadPlan):
		return refusePlan(err)
	case errors.Is(err, fs.ErrNotExist):
		return usage("", "%w", err)
	case err != nil:
		return err
	}
	o.execution.execute = true // the command says so
	if err := o.execution.check(o.app); err != nil {
		return err
	}
	return o.app.carryOut(ctx, &o.connection, plan, o.execution, print)
}

func refusePlan(err error) error {
	return fail(exitRefused, "nothing was written; make the plan again", "%w", err)
}
