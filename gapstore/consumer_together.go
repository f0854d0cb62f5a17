package gapstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// session is a member's part in one generation of a group that consumes
// together.
type session struct {
	member membership
	slot   uint32
	shares map[place]share
	// natives is where a keeper follows the other members, guarded by the
	// consumer's turn. It is read on within one session only, and not after a
	// long rest, since compaction takes away in the end what it would need.
	natives *nativeLogs
	read    time.Time
}

// restLimit is well below the delete.retention.ms of the topic, a day.
const restLimit = time.Hour

// takenSlots are the slots that anything is written in. The members of earlier
// generations have made their last commit when the leader asks.
func (c *Consumer) takenSlots() (map[uint32]bool, error) {
	n, err := c.readGaps(context.Background()) // which has its own limit
	if err != nil {
		return nil, err
	}
	taken := map[uint32]bool{}
	for e := range n.log(c.group).fold.All() {
		for _, s := range e.Slots {
			taken[s.Slot] = true
		}
	}
	return taken, nil
}

// noteAssignment takes note of what the group has given to this member.
func (c *Consumer) noteAssignment(a assignment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = a
}

// enter begins a session with what was given.
func (c *Consumer) enter(cl *kgo.Client) {
	member := c.membership(cl)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = &session{member: member, slot: c.given.slot, shares: make(map[place]share, len(c.given.shares))}
	for _, s := range c.given.shares {
		for _, at := range c.withCompanion(s.place) {
			part := s
			part.place = at
			c.now.shares[at] = part
		}
	}
}

// beginTogether resumes shares of partitions. Where Kafka's offset seems to
// have been moved back, the keeper may only have committed after it was asked
// for: then it is asked for again. Where it was moved back, the keeper commits
// that before anybody goes on, as slots from before count for nothing then.
func (c *Consumer) beginTogether(ctx context.Context, now *session, ids map[string][16]byte, offsets map[string]map[int32]kgo.Offset) ([]*tracked, []error, error) {
	for try := 0; ; try++ {
		n, err := c.readGaps(ctx)
		if err != nil {
			return nil, nil, err
		}
		parts, failed := c.resumeAll(now, n, ids, offsets)
		now.natives, now.read = n, time.Now()
		back := slices.DeleteFunc(slices.Clone(parts), func(t *tracked) bool { return !t.movedBack })
		foreign := slices.ContainsFunc(back, func(t *tracked) bool { return !t.share.keeper })
		if len(back) == 0 {
			return parts, failed, nil
		}
		if try > 0 {
			kept := slices.DeleteFunc(back, func(t *tracked) bool { return !t.share.keeper })
			if err := c.commitNow(ctx, now, kept); err != nil {
				return nil, nil, err
			}
			if !foreign {
				return parts, failed, nil
			}
			pause(ctx, retryEvery)
		}
		if err := c.askAgain(ctx, offsets); err != nil {
			return nil, nil, err
		}
	}
}

// commitNow commits parts before they are consumed.
func (c *Consumer) commitNow(ctx context.Context, now *session, parts []*tracked) error {
	if len(parts) == 0 {
		return nil
	}
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	return c.commit(ctx, nil, now, parts)
}

// askAgain replaces offsets by what is committed now, once that is stable.
func (c *Consumer) askAgain(ctx context.Context, offsets map[string]map[int32]kgo.Offset) error {
	ctx, cancel := context.WithTimeout(ctx, stableTimeout)
	defer cancel()
	for {
		committed, err := c.committed(ctx)
		if err != nil {
			return err
		}
		pending := false // a transaction is about to change one
		for topic, partitions := range offsets {
			for partition := range partitions {
				if e, ok := committed[place{topic, partition}]; ok {
					partitions[partition] = kgo.NewOffset().At(e.Committed).WithEpoch(e.LeaderEpoch)
					pending = pending || e.Pending
				}
			}
		}
		if !pending {
			return nil
		}
		if ctx.Err() != nil {
			return c.waitFailed(ctx)
		}
		pause(ctx, 5*time.Millisecond)
	}
}

// committed is what the group has committed by Kafka's offsets.
func (c *Consumer) committed(ctx context.Context) (map[place]Entry, error) {
	loaded := c.store.loadCommits(ctx, []string{c.group}, func(string, int32) bool { return true })[c.group]
	committed := map[place]Entry{}
	for _, e := range loaded.Entries {
		if e.Committed >= 0 {
			committed[place{e.Topic, e.Partition}] = e
		}
	}
	return committed, loaded.Err
}

// follow brings parts up to what the other members have committed: a keeper
// reads their slots, and another member passes the committed offset, lest its
// own slot grow for ever.
func (c *Consumer) follow(ctx context.Context, now *session, parts []*tracked) error {
	var kept, long []*tracked
	for _, t := range parts {
		switch {
		case t.share.keeper && len(t.share.others) > 0:
			kept = append(kept, t)
		case !t.share.keeper && t.span() > 2*codec.NativeWindow:
			long = append(long, t)
		}
	}
	var err error
	if len(kept) > 0 {
		err = c.readSlots(ctx, now, kept)
	}
	if len(long) == 0 {
		return err
	}
	committed, asked := c.committed(ctx)
	for _, t := range long {
		t.pass(committed[t.place].Committed)
	}
	return errors.Join(err, asked)
}

// readSlots takes what other members have committed into parts.
func (c *Consumer) readSlots(ctx context.Context, now *session, parts []*tracked) error {
	var err error
	if now.natives == nil || time.Since(now.read) > restLimit {
		now.natives = c.store.readNatives(ctx, []string{c.group})
		err = now.natives.failure(c.group)
	} else {
		err = now.natives.log(c.group).readLatest(ctx, c.store, now.natives.topic)
	}
	if err != nil {
		now.natives = nil // from the start next time: the leader may have moved
		return err
	}
	now.read = time.Now()
	for _, t := range parts {
		for _, slot := range t.share.others {
			id := t.id
			id.Slot = slot
			if s := now.natives.log(c.group).fold.Slot(id); s != nil {
				err = errors.Join(err, t.absorb(s))
			}
		}
	}
	return err
}

// readLatest reads on, without asking where the end is: that is where the
// broker has no more to give. What has not come there yet, the next time has.
func (l *nativeLog) readLatest(ctx context.Context, s *Store, topic *Topic) error {
	log, ok := topic.Log(l.partition)
	if !ok || l.next == NoOffset {
		return l.read(ctx, s, topic)
	}
	limit := FetchLimit{Partition: readLogBytes, Response: readLogBytes}
	for {
		at := Position{Topic: codec.NativeTopic, ID: topic.ID, Partition: l.partition, Offset: l.next}
		got, err := s.fetch(ctx, log.Leader, []Position{at}, limit, everyRecord)
		if err == nil {
			err = got[0].Err
		}
		if err != nil {
			return err
		}
		for _, r := range got[0].Records {
			l.follow(r)
		}
		if l.next = got[0].Next; got[0].Size < readLogBytes/2 || l.next == at.Offset {
			return nil
		}
	}
}
