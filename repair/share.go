package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// shareOp is a repair of a share group, whose state is the broker's.
type shareOp interface {
	Op
	// proposeShare is what should become of p. A change that leaves p as it is
	// has nothing to do.
	proposeShare(g *inspect.Group, p *inspect.Partition) (Change, error)
	// run carries the changes out.
	run(ctx context.Context, s *session, todo []Change) error
}

// forShare is op as share groups know it.
func forShare(op Op) (shareOp, error) {
	switch op := op.(type) {
	case shareOp:
		return op, nil
	case Undo:
		return newShareUndo(op)
	case Replay:
		if !op.Rejected {
			return nil, errors.New("the consumers of a share group get what is outstanding anyway; --rejected replays what they do not get")
		}
		return ShareReplay{op}, nil
	case Reset:
		op.GapFormat = ""
		switch {
		case op.KeepDone || op.ClearMetadata || len(op.Outstanding) > 0:
			return nil, errors.New("the broker keeps its state: what can be changed is the start offset, and single records can be skipped")
		case len(op.Done) > 0:
			return ShareSkip{Only: op.Done}, nil
		}
		return ShareReset{op}, nil
	}
	return nil, fmt.Errorf("its state is the broker's, and %s can not change it", op.Name())
}

// newSharePlan plans op, on the share group of s.
func newSharePlan(p Plan, g *inspect.Group, op Op) (Plan, error) {
	shared, err := forShare(op)
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %s is a share group: %w", ErrRefused, g.Name, err)
	}
	p.Op = shared
	_, undoes := shared.(ShareUndo)
	for i := range g.Partitions {
		part := &g.Partitions[i]
		c := Change{}
		err := reachableShare(part)
		if err == nil || undoes && uncommitted(part) {
			c, err = shared.proposeShare(g, part)
		}
		switch {
		case err != nil:
			p.Refusals = append(p.Refusals, Refusal{part.Topic, part.Partition, err.Error()})
		case c.Why != "":
			p.Changes = append(p.Changes, c)
		}
	}
	p.refuseMissing(g)
	p.warn(g)
	return p, nil
}

func reachableShare(p *inspect.Partition) error {
	switch {
	case p.Err != nil:
		return fmt.Errorf("its state can not be read: %w", p.Err)
	case p.Committed < 0:
		return errors.New("it has no start offset yet")
	case p.LogEnd < 0:
		return errors.New("the topic or partition does not exist (any more)")
	}
	return nil
}

// Shared reports whether the plan is for a share group.
func (p Plan) Shared() bool {
	_, ok := p.Op.(shareOp)
	return ok
}

// Live reports whether the plan can be carried out while the group has members.
func (p Plan) Live() bool {
	switch p.Op.(type) {
	case ShareSkip, ShareReplay:
		return true
	}
	return false
}

// gatherShare is the share group as it is now.
func (s *session) gatherShare(ctx context.Context, store *gapstore.Store) (*inspect.Group, error) {
	snapshot, err := inspect.Gather(ctx, store, inspect.Query{Groups: []string{s.plan.Group}, SkipAges: true})
	if err != nil {
		return nil, err
	}
	switch g := &snapshot.Groups[0]; {
	case errors.Is(g.Err, gapstore.ErrNotFound):
		return nil, fmt.Errorf("%w: share group %s is gone", gapstore.ErrConflict, g.Name)
	case g.Err != nil:
		return nil, g.Err
	case g.Type != "share":
		return nil, fmt.Errorf("%w: %s is no share group any more", gapstore.ErrConflict, g.Name)
	default:
		return g, nil
	}
}

// terminal are the offsets of p that a share group has done with.
func terminal(p *inspect.Partition) codec.Ranges {
	done := below(p.Committed)
	for _, d := range p.State.Delivery {
		if d.State.Terminal() {
			done = done.Union(codec.NewRanges(d.Range))
		}
	}
	return done
}
