package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// ShareReset sets the start offset of a share group that has no members, or
// deletes it. The broker starts afresh from there: what it kept of deliveries is
// wiped.
type ShareReset struct {
	Reset
}

// Name is "share-reset".
func (ShareReset) Name() string { return "share-reset" }

func (r ShareReset) proposeShare(_ *inspect.Group, p *inspect.Partition) (Change, error) {
	e := edit{reset: r.Reset, p: p, state: codec.Complete(p.Committed)}
	if r.To == ToNone {
		why := fmt.Sprintf("start %d and the delivery state are deleted: %s", p.Committed, wiped(p))
		return changeShare(p, noCommit(), why), nil
	}
	to, moves := e.destination()
	if !moves {
		return Change{}, nil
	}
	if inside := max(p.LogStart, min(to, p.LogEnd)); to != inside {
		if !r.Clamp {
			return Change{}, outsideLog(to, p)
		}
		to = inside
	}
	why := fmt.Sprintf("start %d becomes %d; the delivery state is wiped: %s", p.Committed, to, wiped(p))
	return changeShare(p, newCommit(to, -1, ""), why), nil
}

// wiped is the delivery state of p in words.
func wiped(p *inspect.Partition) string {
	if p.StartOnly() {
		return "it can not be seen"
	}
	return shareCommitOf(p.Entry).deliveriesInWords()
}

// changeShare is the change of p to a start offset, or to none; empty when that
// is what stands.
func changeShare(p *inspect.Partition, after Commit, why string) Change {
	c := Change{Topic: p.Topic, Partition: p.Partition, TopicID: p.TopicID, Before: shareCommitOf(p.Entry), After: after, Why: why}
	if c.Before.same(after) {
		return Change{}
	}
	inLog := codec.Range{Start: p.LogStart, End: p.LogEnd}
	done := terminal(p).Clip(inLog)
	undelivered := after.completed().Clip(inLog)
	c.Skips, c.Reprocesses = undelivered.Sub(done).Count(), done.Sub(undelivered).Count()
	return c
}

func (r ShareReset) run(ctx context.Context, s *session, todo []Change) error {
	return s.setStarts(ctx, todo)
}

// setStarts sets and deletes start offsets.
func (s *session) setStarts(ctx context.Context, todo []Change) error {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	current, err := s.readShare(ctx, store)
	if err != nil {
		return err
	}
	open, err := s.compareShare(todo, current)
	if err == nil {
		err = wholeTopics(open, current)
	}
	if err != nil || len(open) == 0 {
		return s.refuse(err)
	}
	refused, err := s.alterShare(ctx, store, open)
	if err != nil && !errors.Is(err, gapstore.ErrUnknownOutcome) {
		s.result.setAll(open, Failed, err)
		return s.refuse(err)
	}
	return s.settleShare(ctx, store, open, refused, err)
}

// compareShare is what is left to do of todo; an error when anything is neither
// what the plan saw nor what it wants.
func (s *session) compareShare(todo []Change, current map[place]Commit) ([]Change, error) {
	var open []Change
	for _, c := range todo {
		now, ok := current[c.Target().place()]
		if !ok {
			now = noCommit()
		}
		switch {
		case now.same(c.After):
			s.result.set(c.Target(), Unchanged, nil)
		case !now.same(c.Before):
			key := s.key(c.Target())
			err := &gapstore.ConflictError{Key: key, Want: c.before(), Got: now.onWire(c.Target(), c.TopicID)}
			s.result.set(c.Target(), Conflict, err)
			return nil, err
		default:
			open = append(open, c)
		}
	}
	return open, nil
}

// wholeTopics is nil when changes delete whole topics or nothing: the broker
// knows no other way.
func wholeTopics(changes []Change, current map[place]Commit) error {
	deleted := map[place]bool{}
	topics := map[string]bool{}
	for _, c := range changes {
		if c.After.none() {
			deleted[c.Target().place()], topics[c.Topic] = true, true
		}
	}
	for at, now := range current {
		if topics[at.topic] && !deleted[at] && !now.none() {
			return fmt.Errorf("%w: the broker deletes the offsets of whole topics, and %s/%d is not to be deleted", ErrRefused, at.topic, at.partition)
		}
	}
	return nil
}

// alterShare sends the requests. What is refused is told by the index of its
// change.
func (s *session) alterShare(ctx context.Context, store *gapstore.Store, changes []Change) (map[int]error, error) {
	var starts []gapstore.OffsetCommit
	var moved []int // by index in starts
	var topics []string
	for i, c := range changes {
		switch {
		case !c.After.none():
			starts, moved = append(starts, c.after()), append(moved, i)
		case !slices.Contains(topics, c.Topic):
			topics = append(topics, c.Topic)
		}
	}
	refused := map[int]error{}
	if len(starts) > 0 {
		errs, err := store.AlterShareOffsets(ctx, s.plan.Group, starts)
		for i, err := range errs {
			refused[moved[i]] = err
		}
		if err != nil {
			return refused, err
		}
	}
	if len(topics) == 0 {
		return refused, nil
	}
	errs, err := store.DeleteShareOffsets(ctx, s.plan.Group, topics)
	for i, c := range changes {
		if err := errs[c.Topic]; err != nil && c.After.none() {
			refused[i] = err
		}
	}
	return refused, err
}

// settleShare compares what stands with what was to be.
func (s *session) settleShare(ctx context.Context, store *gapstore.Store, changes []Change, refused map[int]error, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.applier.settling())
	defer cancel()
	current, err := readBack(ctx, func(ctx context.Context) (map[place]Commit, error) { return s.readShare(ctx, store) })
	if err != nil {
		err = notReadBack(errors.Join(failure, err))
		s.result.setAll(changes, Unverified, err)
		return err
	}
	var first error
	for i, c := range changes {
		now, ok := current[c.Target().place()]
		if !ok {
			now = noCommit()
		}
		err := refused[i]
		switch {
		case now.same(c.After):
			s.result.set(c.Target(), Applied, nil)
			continue
		case err == nil && failure == nil:
			err = standsOtherwise(c.Target(), now.Offset)
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
	current := map[place]Commit{}
	for i := range loaded[0].Entries {
		e := &loaded[0].Entries[i]
		if e.Err == nil {
			current[place{e.Topic, e.Partition}] = shareCommitOf(e)
		}
	}
	return current, nil
}
