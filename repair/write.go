package repair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// write makes todo: commits under the hold, and then deletions.
func (s *session) write(ctx context.Context, todo []Change) error {
	var commits, deletions []Change
	for _, c := range todo {
		if c.After.none() {
			deletions = append(deletions, c)
		} else {
			commits = append(commits, c)
		}
	}
	if len(commits) > 0 {
		if err := s.commit(ctx, commits); err != nil {
			return err
		}
	}
	if len(deletions) == 0 {
		return nil
	}
	return s.delete(ctx, deletions)
}

// commit writes changes in one commit where they fit, and otherwise halves of
// them one after the other. That is safe: no change depends on another. What
// is left after a failure stays not attempted.
func (s *session) commit(ctx context.Context, changes []Change) error {
	if s.hold == nil {
		return fmt.Errorf("stopped, because the group was left to learn what stands: %w", gapstore.ErrLost)
	}
	c, err := s.stage(ctx, changes)
	if err == nil {
		err = s.hold.Commit(ctx, c)
	}
	if len(changes) > 1 && batchTooLarge(err, changes) {
		half := len(changes) / 2
		if err := s.commit(ctx, changes[:half]); err != nil {
			return err
		}
		return s.commit(ctx, changes[half:])
	}
	err = s.settle(ctx, changes, err)
	if noted := s.entry.note(writtenKind, s.applier.Now(), s.result.of(changes), err); err == nil {
		err = noted
	}
	return err
}

// batchTooLarge reports whether err says that all changes together are too
// many, and not that one of them is too large by itself.
func batchTooLarge(err error, changes []Change) bool {
	size, ok := errors.AsType[*gapstore.SizeError](err)
	if !ok {
		return false
	}
	largest := 0
	for _, c := range changes {
		largest = max(largest, codec.MetadataSize(c.After.Metadata))
	}
	return size.Need > largest
}

// ErrUnverified is the class of a change that was written, or may have been,
// and that does not stand as it should.
var ErrUnverified = errors.New("not verified")

// standsOtherwise is the error of a partition in which something else stands
// than was written: that offset, or nothing where it is negative.
func standsOtherwise(t Target, offset int64) error {
	now := "nothing is committed now"
	if offset >= 0 {
		now = fmt.Sprintf("offset %d is there now", offset)
	}
	return fmt.Errorf("%w: %s was written, and %s", ErrUnverified, t, now)
}

// notReadBack is the error of what may stand as it should, but could not be read.
func notReadBack(why error) error {
	return fmt.Errorf("%w: it can not be read back: %w", ErrUnverified, why)
}

// settle finds out what became of changes, after a commit of them ended in
// failure (nil: in success), by reading what stands.
func (s *session) settle(ctx context.Context, changes []Change, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.applier.settling())
	defer cancel()
	lost := errors.Is(failure, gapstore.ErrUnknownOutcome)
	if failure != nil && !lost && !errors.Is(failure, gapstore.ErrPartial) { // nothing was written
		s.result.setAll(changes, Failed, failure)
		return failure
	}
	var current map[gapstore.Key]onBroker
	err := gapstore.ErrLost
	if !lost && s.hold != nil {
		held, cancel := context.WithTimeout(ctx, s.applier.settling()/2) // and the rest without the hold
		current, err = readBack(held, s.read)
		cancel()
	}
	if err != nil {
		current, err = s.readAnew(ctx)
	}
	if err != nil {
		err = notReadBack(errors.Join(failure, err))
		s.result.setAll(changes, Unverified, err)
		return err
	}
	var first error
	for _, c := range changes {
		if err := s.verify(c, current, failure); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// readBackEvery is the pause before what gave no answer is asked again.
const readBackEvery = 100 * time.Millisecond

// readBack calls read until the cluster answers, or ctx ends: what was written
// stands in the meantime, and only can not be seen.
func readBack[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	for {
		got, err := read(ctx)
		if !errors.Is(err, gapstore.ErrUnavailable) {
			return got, err
		}
		select {
		case <-time.After(readBackEvery):
		case <-ctx.Done():
			return got, err
		}
	}
}

// verify compares what stands with what c wants.
func (s *session) verify(c Change, current map[gapstore.Key]onBroker, failure error) error {
	now := current[s.key(c.Target())]
	switch {
	case now == c.After.onBroker(c):
		s.result.set(c.Target(), Applied, nil)
		return nil
	case now == c.Before.onBroker(c) && failure != nil:
		s.result.set(c.Target(), Failed, failure)
		return failure
	}
	err := standsOtherwise(c.Target(), now.Offset)
	s.result.set(c.Target(), Unverified, err)
	return err
}

// readAnew reads what stands after a commit whose answer was lost. It leaves
// the group first: from then on the coordinator refuses that commit, should it
// still be on its way, so that what is read is final.
func (s *session) readAnew(ctx context.Context) (map[gapstore.Key]onBroker, error) {
	if err := s.release(ctx); err != nil {
		return nil, err
	}
	entries, err := readBack(ctx, s.load)
	if err != nil {
		return nil, err
	}
	current := map[gapstore.Key]onBroker{}
	for _, e := range entries {
		o := gapstore.OffsetCommit{Topic: e.Topic, Partition: e.Partition, Offset: e.Committed, LeaderEpoch: e.LeaderEpoch, Metadata: e.Raw}
		current[e.Key] = onBroker{o, digestRecords(e.NativeRecords())}
	}
	for _, c := range s.plan.Changes {
		key := s.key(c.Target())
		o, ok := current[key]
		if !ok {
			o = noCommit().onBroker(c)
		}
		o.TopicID = c.TopicID // the names are all that is told; a topic made anew has no commits
		current[key] = o
	}
	return current, nil
}
