package gapstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// assigned begins with partitions that the group has given to this member.
func (c *Consumer) assigned(cl *kgo.Client, parts map[string][]int32) {
	if len(parts) > 0 {
		c.noteWait()
	}
	if c.sharing != Whole {
		c.enter(cl)
	}
}

// begin is called with the offsets of partitions that the group has given to
// this member, before it reads them: it loads their gaps, and says where to
// begin.
func (c *Consumer) begin(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	var names []string
	for topic := range offsets {
		names = append(names, topic)
	}
	if len(names) == 0 {
		return offsets, nil
	}
	all := offsets
	if c.retry != nil {
		names = append(names, c.retry.Topic)
		var err error
		if all, err = c.withCompanions(ctx, offsets); err != nil {
			return nil, err
		}
	}
	ids, err := c.topicIDs(ctx, names)
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	now := c.now
	c.mu.RUnlock()
	var parts []*tracked
	var failed []error
	switch {
	case c.sharing == Whole:
		var n *nativeLogs
		if n, err = c.readGaps(ctx); err == nil {
			parts, failed = c.resumeAll(nil, n, ids, all)
		}
	case now == nil:
		err = context.Canceled // given up again
	default:
		parts, failed, err = c.beginTogether(ctx, now, ids, all)
	}
	if err == nil && c.retry != nil {
		var unpaired []error
		parts, unpaired, err = c.giveBacklogs(ctx, parts, offsets)
		failed = append(failed, unpaired...)
	}
	if err != nil {
		return nil, err
	}
	if !c.accept(now, parts, failed) {
		return nil, context.Canceled // the group has gone on meanwhile
	}
	for _, t := range parts {
		if at, ok := offsets[t.topic][t.partition]; ok && t.next >= 0 && t.next != at.EpochOffset().Offset {
			offsets[t.topic][t.partition] = kgo.NewOffset().At(t.next)
		}
	}
	return offsets, nil
}

// accept makes parts this member's, in the session now; false when that has ended.
func (c *Consumer) accept(now *session, parts []*tracked, failed []error) bool {
	c.pull.Lock()
	defer c.pull.Unlock()
	c.mu.Lock()
	if c.now != now {
		c.mu.Unlock()
		return false
	}
	var given []*tracked
	if now != nil { // all is given anew
		given = slices.Collect(maps.Values(c.parts))
		clear(c.parts)
	}
	for _, t := range parts {
		c.parts[t.place] = t
	}
	c.awaited = time.Time{}
	if c.failed = append(c.failed, failed...); len(c.failed) > 0 && c.wake != nil {
		c.wake()
	}
	c.mu.Unlock()
	c.stopRetries(given)
	c.startRetries(parts)
	return true
}

// topicIDs are the IDs of topics, which commits are kept under.
func (c *Consumer) topicIDs(ctx context.Context, names []string) (map[string][16]byte, error) {
	topics, err := c.store.Topics(ctx, names)
	if err != nil {
		return nil, err
	}
	ids := make(map[string][16]byte, len(topics))
	for name, topic := range topics {
		if topic.Err != nil {
			return nil, topic.Err
		}
		if topic.ID == [16]byte{} {
			return nil, topicIDFeature().lacking("find the ID of topic "+name, nil)
		}
		ids[name] = topic.ID
	}
	return ids, nil
}

// resumeAll resumes the partitions, and deletes those that can not be consumed
// from offsets.
func (c *Consumer) resumeAll(now *session, n *nativeLogs, ids map[string][16]byte, offsets map[string]map[int32]kgo.Offset) (parts []*tracked, failed []error) {
	entries := map[codec.NativeID]codec.NativeEntry{}
	for e := range n.log(c.group).fold.All() {
		entries[codec.NativeID{Group: e.Group, TopicID: e.TopicID, Partition: e.Partition}] = e
	}
	for topic, partitions := range offsets {
		for partition, offset := range partitions {
			at := place{topic, partition}
			o := takeover{share: whole(at), sharing: c.sharing, offset: offset.EpochOffset(),
				id: codec.NativeID{Group: c.group, TopicID: ids[topic], Partition: partition}}
			if now != nil {
				o.share, o.slot = now.shares[at], now.slot
			}
			o.native = entries[o.id]
			t, err := o.resume()
			if err != nil {
				delete(partitions, partition)
				failed = append(failed, fmt.Errorf("%s is not consumed: %w", Key{c.group, topic, partition}, err))
				continue
			}
			parts = append(parts, t)
		}
	}
	return parts, failed
}

// readGaps reads the native records of the group. The offsets are stable by
// now, so its transactions have ended; but the markers that say so may not have
// come to this topic yet.
func (c *Consumer) readGaps(ctx context.Context) (*nativeLogs, error) {
	ctx, cancel := context.WithTimeout(ctx, stableTimeout)
	defer cancel()
	n := c.store.readNatives(ctx, []string{c.group})
	for {
		if err := n.failure(c.group); err != nil {
			return nil, err
		}
		log := n.log(c.group)
		if log == nil {
			return nil, Classify("read the gaps of group "+c.group, errors.New("there is no topic "+codec.NativeTopic))
		}
		if err := log.unfit(); err != nil {
			return nil, err
		}
		if !log.pending(c.group) {
			return n, nil
		}
		if ctx.Err() != nil {
			return nil, c.waitFailed(ctx)
		}
		pause(ctx, 5*time.Millisecond)
		n.readOn(ctx, c.store)
	}
}
