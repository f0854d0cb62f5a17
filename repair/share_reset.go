package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// ShareReset sets the start offset of a share group that has no members. The
// broker starts afresh from there: what it kept of deliveries is wiped.
type ShareReset struct {
	Reset
}

// Name is "share-reset".
func (ShareReset) Name() string { return "share-reset" }

func (r ShareReset) proposeShare(_ *inspect.Group, p *inspect.Partition) (Change, error) {
	e := edit{reset: r.Reset, p: p, state: codec.Complete(p.Committed)}
	to, moves := e.destination()
	if !moves {
		return Change{}, nil
	}
	if inside := max(p.LogStart, min(to, p.LogEnd)); to != inside {
		if !r.Clamp {
			return Change{}, fmt.Errorf("offset %d lies outside the log, which holds %d up to %d; --clamp takes the nearest end", to, p.LogStart, p.LogEnd)
		}
		to = inside
	}
	c := Change{Topic: p.Topic, Partition: p.Partition, TopicID: p.TopicID, Before: shareStanding(&p.Entry), After: newCommit(to, -1, "")}
	if c.Before.same(c.After) {
		return Change{}, nil
	}
	inLog := codec.Range{Start: p.LogStart, End: p.LogEnd}
	done := terminal(p).Clip(inLog)
	after := below(to).Clip(inLog)
	c.Skips, c.Reprocesses = after.Sub(done).Count(), done.Sub(after).Count()
	c.Why = fmt.Sprintf("start %d becomes %d; the delivery state is wiped: %s", p.Committed, to, stateInWords(p))
	return c, nil
}

func (r ShareReset) run(ctx context.Context, s *session, todo []Change) error {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	stands, err := s.readShare(ctx, store)
	if err != nil {
		return err
	}
	var open []Change
	var starts []gapstore.OffsetCommit
	for _, c := range todo {
		now := stands[c.Target().place()]
		switch {
		case now.same(c.After):
			s.result.set(c.Target(), Unchanged, nil)
		case !now.same(c.Before):
			key := gapstore.Key{Group: s.plan.Group, Topic: c.Topic, Partition: c.Partition}
			err := &gapstore.ConflictError{Key: key, Want: c.before(), Got: now.onWire(c.Target(), c.TopicID)}
			s.result.set(c.Target(), Conflict, err)
			return err
		default:
			open = append(open, c)
			starts = append(starts, c.after())
		}
	}
	if len(open) == 0 {
		return nil
	}
	refused, err := store.AlterShareOffsets(ctx, s.plan.Group, starts)
	if err != nil && !errors.Is(err, gapstore.ErrUnknownOutcome) {
		s.result.setAll(open, Failed, err)
		return s.refuse(err)
	}
	return s.settleShare(ctx, store, open, refused, err)
}

// settleShare compares what stands with what was to be.
func (s *session) settleShare(ctx context.Context, store *gapstore.Store, changes []Change, refused map[int]error, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	stands, err := s.readShare(ctx, store)
	if err != nil {
		err = fmt.Errorf("%w: it can not be read back: %w", ErrUnverified, errors.Join(failure, err))
		s.result.setAll(changes, Unverified, err)
		return err
	}
	var first error
	for i, c := range changes {
		now, err := stands[c.Target().place()], refused[i]
		switch {
		case now.same(c.After):
			s.result.set(c.Target(), Applied, nil)
			continue
		case err == nil && failure == nil:
			err = fmt.Errorf("%w: %s was written, and start %d is there now", ErrUnverified, c.Target(), now.Offset)
			s.result.set(c.Target(), Unverified, err)
		default:
			err = errors.Join(err, failure)
			s.result.set(c.Target(), Failed, err)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// readShare is what stands now, by partition.
func (s *session) readShare(ctx context.Context, store *gapstore.Store) (map[place]Commit, error) {
	loaded, _ := store.Load(ctx, []gapstore.Ref{{Group: s.plan.Group, Share: true}}, nil)
	if loaded[0].Err != nil {
		return nil, loaded[0].Err
	}
	stands := map[place]Commit{}
	for i := range loaded[0].Entries {
		e := &loaded[0].Entries[i]
		if e.Err == nil {
			stands[place{e.Topic, e.Partition}] = shareStanding(e)
		}
	}
	return stands, nil
}

func (t Target) place() place { return place{t.Topic, t.Partition} }
