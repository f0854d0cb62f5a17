package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// repairing is the flags of every command that plans a repair, and what they
// all do with the plan.
type repairing struct {
	app        *app
	connection connection
	output     output
	execution  execution
	planFile   string
}

func (r *repairing) bind(cmd *cobra.Command) {
	r.connection.bind(cmd.Flags())
	r.output.bind(cmd)
	r.execution.bind(cmd)
	cmd.Flags().StringVar(&r.planFile, "plan", "", "save the plan to `FILE`, for gapctl apply")
}

// opFor makes the op for what was gathered; it may ask the store for more.
type opFor func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error)

// just is the opFor of an op that needs to know nothing.
func just(op repair.Op) opFor {
	return func(context.Context, *gapstore.Store, *inspect.Snapshot) (repair.Op, error) { return op, nil }
}

// gatherer reads what q asks for, followed by more.
type gatherer func(ctx context.Context, c *connection, q inspect.Query, more followUp) (inspect.Snapshot, error)

// run is a repair from beginning to end: gather, plan, show or save the plan,
// and with --execute approve and apply it.
func (r *repairing) run(ctx context.Context, q inspect.Query, makeOp opFor) error {
	return r.runOn(ctx, r.app.gatherMore, q, makeOp)
}

// runOn is run on what gather gives.
func (r *repairing) runOn(ctx context.Context, gather gatherer, q inspect.Query, makeOp opFor) error {
	print, err := r.app.printer(r.output)
	if err != nil {
		return err
	}
	if err := r.execution.check(r.app); err != nil {
		return err
	}
	q.SkipAges = true
	var op repair.Op
	s, err := gather(ctx, &r.connection, q, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (err error) {
		if op, err = makeOp(ctx, store, s); err == nil {
			err = r.checkNamed(ctx, store, &s.Groups[0], q, op)
		}
		return err
	})
	if err != nil {
		return err
	}
	plan, err := repair.NewPlan(s, op)
	if err != nil {
		return refused(err)
	}
	if len(plan.Refusals) == 0 {
		r.app.sayEmpty(&s, true)
	}
	if r.planFile != "" {
		if err := repair.SavePlan(r.planFile, plan); err != nil {
			return err
		}
	}
	active := members(&s.Groups[0])
	if plan.Live() || joins(plan, &s.Groups[0]) {
		active = nil
	}
	if !r.execution.execute {
		return r.app.showPlan(print, plan, active)
	}
	if active != nil {
		return refused(active)
	}
	return r.app.carryOut(ctx, &r.connection, plan, r.execution, print)
}

// members is nil, or says who is in the group.
func members(g *inspect.Group) error {
	if len(g.Members) == 0 {
		return nil
	}
	active := &gapstore.ActiveError{Group: g.Name, State: g.State}
	for _, m := range g.Members {
		active.Members = append(active.Members, gapstore.Member(m))
	}
	return active
}

// showPlan prints a plan that is not to be carried out now. A plan that can
// change nothing because everything is refused ends as a refusal.
func (a *app) showPlan(print func(inspect.View) error, plan repair.Plan, active error) error {
	if err := print(plan); err != nil {
		return err
	}
	switch {
	case plan.Empty() && len(plan.Refusals) > 0:
		return fail(exitRefused, "", "%s: %s", plan.Refusals[0].Target(), plan.Refusals[0].Message)
	case plan.Empty():
		return nil
	case active != nil:
		a.say(fmt.Sprintf("it can not be carried out while %v", active))
	default:
		a.say("nothing is written without --execute")
	}
	return nil
}

// carryOut asks for approval, applies the plan, and prints the result.
func (a *app) carryOut(ctx context.Context, c *connection, plan repair.Plan, e execution, print func(inspect.View) error) error {
	reset, isReset := plan.Op.(repair.Reset)
	if plan.Empty() && len(plan.Refusals) == 0 && !(isReset && reset.Empty()) {
		a.say("nothing to do: all that " + plan.Title() + " wants stands already")
	}
	dial, err := a.dial(ctx, c)
	if err != nil {
		return err
	}
	journal, err := a.journal()
	if err != nil {
		return err
	}
	approval, err := a.approve(ctx, plan, e)
	if err != nil {
		return err
	}
	applier := repair.Applier{Dial: dial, Journal: journal, Now: a.now}
	switch op := plan.Op.(type) {
	case repair.Replay:
		return a.carryOutReplay(ctx, applier, op.ToStdout, plan, approval, print)
	case repair.ShareReplay:
		return a.carryOutReplay(ctx, applier, false, plan, approval, print)
	}
	ctx, cancel, err := a.limited(ctx, c)
	if err != nil {
		return err
	}
	defer cancel()
	return a.showResult(print, applier.Apply(ctx, plan, approval))
}
