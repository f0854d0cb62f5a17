package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// commit commits cuts, of the batch, in one transaction where they fit, and
// otherwise in halves.
func (r *replay) commit(ctx context.Context, b *replayBatch, cuts []*replayCut) error {
	s := r.session
	changes := make([]Change, len(cuts))
	for i, cut := range cuts {
		part := cut.part
		next, err := r.next(cut)
		if err != nil {
			return fmt.Errorf("%s: %w", part.change.Target(), err)
		}
		changes[i] = Change{Topic: part.change.Topic, Partition: part.change.Partition, TopicID: part.change.TopicID, Before: part.now, After: next}
	}
	c, err := s.stage(ctx, changes)
	if err != nil {
		return err
	}
	if err := r.announce(changes); err != nil {
		return err
	}
	c.Records = append(c.Records, b.copiesOf(cuts)...)
	err = r.hold.Commit(ctx, c)
	if len(cuts) > 1 && batchTooLarge(err, changes) {
		half := len(cuts) / 2
		if err := r.commit(ctx, b, cuts[:half]); err != nil {
			return err
		}
		return r.commit(ctx, b, cuts[half:])
	}
	switch {
	case r.op.Together:
		return r.settleTogether(cuts, changes, err)
	case err != nil:
		err = s.settle(ctx, changes, err)
	}
	for i, cut := range cuts {
		if err == nil || s.result.outcome(cut.part.change.Target()).Status == Applied {
			cut.made(changes[i].After)
		}
	}
	return err
}

// announce records what the next commit leaves behind. Of a replay together
// that is recorded afterwards, so that nobody takes for this process's own what
// another has made of it.
func (r *replay) announce(changes []Change) error {
	if r.op.Together {
		return nil
	}
	return r.session.entry.batch(r.session.applier.Now(), changes)
}

// made is to be called when the cut has been committed.
func (c *replayCut) made(after Commit) {
	c.part.now, c.part.state, c.part.ours = after, after.State.Normalize(), true
	c.part.copied += c.delivered
	for _, r := range c.closing {
		c.part.closed += r.Len()
	}
}

// next is the commit in which the gaps of the cut are closed.
func (r *replay) next(cut *replayCut) (Commit, error) {
	p := cut.part
	state := p.state
	state.Gaps = state.Gaps.Sub(codec.NewRanges(cut.closing...))
	if p.ours && p.change.Before.Format == nativeFormat {
		return p.now.narrowed(p.change.nativeID(r.session.plan.Group), state.Normalize(), r.session.plan.TakenAt)
	}
	like := &inspect.Partition{Entry: &gapstore.Entry{
		TopicID:   p.change.TopicID,
		Committed: p.change.Before.Offset, LeaderEpoch: p.change.Before.LeaderEpoch,
		Format: p.change.Before.Format, Encoding: p.change.Before.Encoding,
	}}
	c, err := encode(like, like.Format, state.Normalize())
	if err == nil {
		c, err = c.beside(p.now.Records).written(p.change.nativeID(r.session.plan.Group), r.session.plan.TakenAt)
	}
	if err != nil {
		return Commit{}, fmt.Errorf("the gaps that are left can not be written: %w", err)
	}
	return c, nil
}

// conclude gives each partition its outcome, by what stands.
func (r *replay) conclude(ctx context.Context, failure error) error {
	s := r.session
	current, unread := r.readCurrent(ctx)
	var changes []Change
	for _, part := range r.order {
		changes = append(changes, part.change)
		o := s.result.outcome(part.change.Target())
		o.Copied = part.copied
		now, found := part.now.onBroker(part.change), current[s.key(part.change.Target())]
		switch {
		case o.Status == Unverified:
		case unread != nil:
			o.Status, o.Err = Unverified, notReadBack(unread)
		case current != nil && found != now:
			o.Status, o.Err = Unverified, standsOtherwise(part.change.Target(), found.Offset)
		case part.now.same(part.change.After):
			o.Status, o.Err = Applied, nil
		case part.now.same(part.change.Before) && failure != nil:
			o.Status, o.Err = Failed, failure
		default:
			o.Status, o.Err = Failed, part.incomplete(errors.Join(part.err, part.failed, failure))
		}
	}
	return s.entry.note(writtenKind, s.applier.Now(), s.result.of(changes), failure)
}

// readCurrent is what can be read back under the hold; nil when that has ended.
func (r *replay) readCurrent(ctx context.Context) (map[gapstore.Key]onBroker, error) {
	s := r.session
	if s.hold == nil || s.hold.Err() != nil {
		return nil, nil // the last commit that was answered is what was made
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.applier.settling())
	defer cancel()
	return readBack(ctx, s.read)
}

// incomplete says how much is left, and why.
func (p *replayPart) incomplete(why error) error {
	left := p.state.Gaps.Sub(p.change.After.State.Gaps).Count()
	err := fmt.Errorf("%w: %s of %s", ErrIncomplete, plural(left, "offset is still outstanding", "offsets are still outstanding"), p.change.Target())
	if why != nil {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return err
}
