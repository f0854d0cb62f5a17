package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// pendingEvery is the pause before what an open transaction holds back is
// looked at again; others are on their way to end it.
const pendingEvery = 100 * time.Millisecond

// look reads what stands. Of the share that is certain: nobody else can write
// there any more, and what was under way has come to an end. Of the rest it is
// as new as can be.
func (t *team) look(ctx context.Context) error {
	began := time.Now()
	timeout, cancel := context.WithTimeout(ctx, 2*t.session.applier.settling()) // outlasts a transaction of one who died
	defer cancel()
	for {
		entries, err := readBack(timeout, t.load)
		if err != nil {
			return err
		}
		pending := -1
		for i, e := range entries {
			if e.Pending && t.hold.Share().Has(e.Topic, e.Partition) {
				pending = i
			}
		}
		if pending < 0 {
			t.cost = time.Since(began)
			return t.see(entries)
		}
		if err := t.hold.EndOlder(timeout); err != nil {
			return err
		}
		select {
		case <-time.After(pendingEvery):
		case <-t.hold.Lost():
			return t.hold.Err()
		case <-timeout.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return stillPending(entries[pending])
		}
	}
}

func (t *team) load(ctx context.Context) ([]gapstore.Entry, error) {
	return t.session.loadOnce(ctx, t.store)
}

// see takes in what was read. A partition that is not as it can only be is a
// conflict.
func (t *team) see(entries []gapstore.Entry) error {
	there := map[place]*gapstore.Entry{}
	for i := range entries {
		there[place{entries[i].Topic, entries[i].Partition}] = &entries[i]
	}
	var conflict error
	for _, part := range t.order {
		e := there[part.change.Target().place()]
		if e != nil && e.Pending {
			continue // another is at it
		}
		now := noCommit()
		if e != nil {
			now = newCommit(e.Committed, e.LeaderEpoch, e.Raw).with(e.NativeRecords())
		}
		if err := part.see(now); err != nil {
			status := Conflict
			if part.closed > 0 {
				status, err = Unverified, fmt.Errorf("%w: %w", ErrUnverified, err)
			}
			t.session.result.set(part.change.Target(), status, err)
			conflict = cmp.Or(conflict, err)
		}
	}
	return cmp.Or(conflict, t.settleDoubts())
}

// see takes in that now stands. Others may only have finished more.
func (p *replayPart) see(now Commit) error {
	if now.same(p.now) {
		return nil
	}
	other := now.Format != p.change.Before.Format && now.Format != "" // "": there are no gaps
	if now.none() || now.Err != nil || other {
		return fmt.Errorf("%s: %w: it is not in the format that the plan saw", p.change.Target(), gapstore.ErrConflict)
	}
	if undone := completed(p.state).Sub(now.completed()); !undone.Empty() {
		return fmt.Errorf("%s: %w: %s became outstanding again", p.change.Target(), gapstore.ErrConflict, shown(undone))
	}
	p.now, p.state, p.ours = now, now.State.Normalize(), false
	p.shared.foreign = true // unless it turns out to be what was in doubt
	p.countOthers()
	return nil
}

func (p *replayPart) countOthers() {
	p.shared.others = p.chosen.Sub(p.state.Gaps).Count() - p.closed
}

// doubt is a commit of which it is not known whether it was made.
type doubt struct {
	cuts    []*replayCut
	changes []Change
	foreign []bool // as it was before
}

// settleTogether takes in that a commit ended with err. In doubt, what stands in
// the next generation says whether it was made: nothing can make it then.
func (r *replay) settleTogether(cuts []*replayCut, changes []Change, err error) error {
	if errors.Is(err, gapstore.ErrUnknownOutcome) || errors.Is(err, gapstore.ErrPartial) {
		d := doubt{cuts: cuts, changes: changes}
		for _, cut := range cuts {
			d.foreign = append(d.foreign, cut.part.shared.foreign)
		}
		r.doubts = append(r.doubts, d)
	}
	if err != nil {
		return err
	}
	return r.confirm(cuts, changes)
}

// confirm takes in that the cuts were committed, and records it.
func (r *replay) confirm(cuts []*replayCut, changes []Change) error {
	var stands []Standing
	for i, cut := range cuts {
		cut.made(changes[i].After)
		at := cut.part.change.Target()
		stands = append(stands, Standing{at.Topic, at.Partition, changes[i].After.digest(), cut.part.shared.foreign})
	}
	return r.session.entry.stands(r.session.applier.Now(), stands)
}

// settleDoubts finds out what has become of the commits in doubt. Where somebody
// else has written since, it can not be told whose the copies are; each record
// was copied once all the same.
func (t *team) settleDoubts() error {
	doubts := t.doubts
	t.doubts = nil
	for _, d := range doubts {
		for i, cut := range d.cuts {
			part := cut.part
			if !part.now.same(d.changes[i].After) {
				continue
			}
			part.shared.foreign = d.foreign[i]
			err := t.confirm([]*replayCut{cut}, d.changes[i:i+1])
			part.countOthers()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// conclude gives each partition its outcome, by what stands. What a consumer has
// made of it that came in between is no matter of the replay.
func (t *team) conclude(ctx context.Context, failure error) error {
	s := t.session
	var unread error
	if lost := s.hold.Err(); lost == nil || errors.Is(lost, gapstore.ErrReshared) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.applier.settling())
		defer cancel()
		entries, err := readBack(ctx, t.load)
		if unread = err; err == nil {
			failure = errors.Join(failure, t.see(entries))
		}
	}
	for _, part := range t.order {
		o := s.result.outcome(part.change.Target())
		o.Copied, o.Others = part.copied, part.shared.others
		left := part.chosen.Intersect(part.state.Gaps)
		switch {
		case o.Status == Conflict || o.Status == Unverified:
		case unread != nil && part.closed > 0:
			o.Status, o.Err = Unverified, notReadBack(unread)
		case left.Empty() && part.closed > 0:
			o.Status, o.After, o.Err = Applied, part.now, nil
		case left.Empty():
			o.Status, o.After, o.Err = Unchanged, part.now, nil
		case part.closed == 0 && failure != nil:
			o.Status, o.Err = Failed, failure
		default:
			o.Status, o.Err = Failed, part.incomplete(errors.Join(part.err, failure))
		}
	}
	return s.entry.note(writtenKind, s.applier.Now(), s.result.of(s.plan.Changes), failure)
}
