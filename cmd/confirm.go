package cmd

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// execution is the flags that say whether to write, and who approves.
type execution struct {
	execute, yes bool
}

func (e *execution) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.execute, "execute", false, "carry the plan out, once it is approved")
	cmd.Flags().BoolVarP(&e.yes, "yes", "y", false, "approve the plan without being asked")
}

// check finds out before anything is asked of the cluster that nobody could
// approve.
func (e execution) check(a *app) error {
	if e.execute && !e.yes && !isTerminal(a.in) {
		return usage("--yes approves it", "there is no terminal to ask for approval on")
	}
	return nil
}

// approve has the plan approved: by --yes, or by the person at the terminal,
// who sees it first. It is the only way to an approval.
func (a *app) approve(ctx context.Context, plan repair.Plan, e execution) (repair.Approval, error) {
	if e.yes || plan.Empty() {
		return repair.Approve(plan, whoAmI(), "--yes"), nil
	}
	if err := inspect.Write(a.err, inspect.OutputTable, plan, inspect.Style{}); err != nil {
		return repair.Approval{}, err
	}
	yes, err := confirm(ctx, a.in, a.err, "Carry this out? [y/N] ")
	switch {
	case err != nil:
		return repair.Approval{}, err
	case !yes:
		return repair.Approval{}, fail(exitDeclined, "", "not approved: nothing was written")
	}
	return repair.Approve(plan, whoAmI(), "prompt"), nil
}

// confirm asks a question, and takes only y or yes for yes. Whoever answers
// nothing, or something else, declines.
func confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	if _, err := io.WriteString(out, question); err != nil {
		return false, err
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
