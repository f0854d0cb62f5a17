package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// sharedPart is what a replay together knows of a partition besides.
type sharedPart struct {
	foreign bool         // others have written there since the plan
	others  int64        // offsets that they have finished
	absent  codec.Ranges // what could not be had, when it was tried
}

// left is what is still to be delivered, as far as this process can.
func (p *replayPart) left() codec.Ranges {
	return p.chosen.Intersect(p.state.Gaps).Sub(p.shared.absent)
}

// together reports whether op is a replay by several processes.
func together(op Op) bool {
	r, ok := op.(Replay)
	return ok && r.Together
}

// steady is p as it was before the others of a replay together, who may be at
// work, began what is under way: what the plan says of it is read anew under
// the hold.
func steady(p *inspect.Partition) *inspect.Partition {
	if !p.Pending {
		return p
	}
	q := *p
	q.Pending = false
	if from, moved := p.Moved(); moved { // its offset and its records are of two moments
		q.Committed = from
	}
	return &q
}

const (
	// idleEvery is how often a process without work looks how far the others are.
	idleEvery = time.Second
	// lookShare bounds what looking costs: a tenth of the time.
	lookShare = 10
	// togetherTries is how often in a row a share may be lost to a failure.
	togetherTries = 10
)

// team is a replay by several processes, as one of them sees it.
type team struct {
	*replay
	store *gapstore.Store
	cost  time.Duration // of looking
	idle  bool          // and has said so
}

// replayTogether delivers what the plan wants, and others do not.
func (s *session) replayTogether(ctx context.Context, op Replay) error {
	r, err := s.newReplay(op, s.plan.Changes)
	if err != nil {
		return err
	}
	t := &team{replay: r}
	if s.hold, err = gapstore.AcquireTogether(ctx, s.applier.Dial, s.plan.Group, t.stakes()); err != nil {
		return s.refuse(err)
	}
	r.hold = s.hold
	defer s.release(ctx)
	if err := s.hold.Transacts(); err != nil {
		return s.refuse(err)
	}
	if t.store, err = gapstore.Open(ctx, s.applier.Dial); err != nil {
		return err
	}
	defer t.store.Close()
	if r.copies, err = newCopies(ctx, t.store, op); err != nil {
		return err
	}
	err = t.work(ctx)
	return errors.Join(err, t.conclude(ctx, err))
}

// work goes from share to share until nothing is left to do.
func (t *team) work(ctx context.Context) error {
	t.tellShare()
	for tries, closed := 0, int64(0); ; {
		done, err := t.step(ctx)
		if done || err == nil && ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if now := t.closed(); now > closed {
			tries, closed = 0, now
		}
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil || !rejoins(err):
			return err
		case !errors.Is(err, gapstore.ErrReshared):
			if tries++; tries == togetherTries {
				return err
			}
		}
		if err := t.hold.Rejoin(ctx, t.stakes()); err != nil {
			return err
		}
		t.tellShare()
	}
}

// rejoins reports whether err ends a share, and no more.
func rejoins(err error) bool {
	return errors.Is(err, gapstore.ErrReshared) || errors.Is(err, gapstore.ErrUnknownOutcome) || errors.Is(err, gapstore.ErrPartial)
}

// step looks what stands, and does what there is to do in the share, or waits.
func (t *team) step(ctx context.Context) (done bool, err error) {
	if err := t.look(ctx); err != nil {
		return false, err
	}
	var all int64
	var targets []gapstore.Target
	for _, part := range t.order {
		left := part.left()
		all += left.Count()
		if !left.Empty() && t.owns(part) {
			targets = append(targets, part.target(left))
		}
	}
	switch {
	case all == 0:
		return true, nil
	case len(targets) > 0:
		t.idle = false
		return false, t.deliver(ctx, targets)
	}
	return false, t.wait(ctx)
}

func (t *team) owns(p *replayPart) bool {
	return t.hold.Share().Has(p.change.Topic, p.change.Partition)
}

// closed is how many offsets this process has finished.
func (t *team) closed() int64 {
	var n int64
	for _, part := range t.order {
		n += part.closed
	}
	return n
}

// stakes are what this process bids for.
func (t *team) stakes() []gapstore.Stake {
	stakes := make([]gapstore.Stake, 0, len(t.order))
	for _, part := range t.order {
		stakes = append(stakes, gapstore.Stake{Topic: part.change.Topic, Partition: part.change.Partition, Outstanding: part.left().Count()})
	}
	return stakes
}

// deliver delivers targets, while the share lasts.
func (t *team) deliver(ctx context.Context, targets []gapstore.Target) error {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := t.hold.Lost()
	go func() {
		select {
		case <-lost:
			cancel()
		case <-reading.Done():
		}
	}()
	t.renew()
	err := t.run(ctx, reading, t.store, targets)
	if settled := t.settled(); err == nil {
		err = settled
	}
	if err != nil {
		return err
	}
	for _, target := range targets { // what the log did not give is not asked for again
		part := t.parts[place{target.Topic, target.Partition}]
		part.shared.absent = part.shared.absent.Union(part.left())
	}
	return nil
}

// wait lets the others work. It ends the share where one of them has several
// partitions left, of which this process could take one.
func (t *team) wait(ctx context.Context) error {
	if !t.idle {
		t.idle = true
		t.notice("others have all that is left; this one waits, ready to take over")
	}
	select {
	case <-t.hold.Lost():
		return t.hold.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(max(idleEvery, lookShare*t.cost)):
	}
	shares, err := t.hold.Shares(ctx)
	if err != nil {
		return err
	}
	for _, share := range shares {
		busy := slices.DeleteFunc(slices.Clone(t.order), func(p *replayPart) bool {
			return !share.Has(p.change.Topic, p.change.Partition) || p.left().Empty()
		})
		if len(busy) > 1 {
			return fmt.Errorf("%w: one has %d partitions left, and this one none", gapstore.ErrReshared, len(busy))
		}
	}
	return nil
}

func (t *team) tellShare() {
	s := t.hold.Share()
	n := 0
	for _, parts := range s.Parts {
		n += len(parts)
	}
	t.notice(fmt.Sprintf("%s at work, %d of %s for this one, which is member %s",
		plural(int64(s.Members), "process", "processes"), n, plural(int64(len(t.order)), "partition", "partitions"), t.hold.MemberID()))
}

func (t *team) notice(text string) {
	if t.session.applier.Notice != nil {
		t.session.applier.Notice(text)
	}
}
