package gapstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

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
	topics, err := c.store.Topics(ctx, names)
	if err != nil {
		return nil, err
	}
	for name, topic := range topics {
		if topic.Err != nil {
			return nil, topic.Err
		}
		if topic.ID == [16]byte{} {
			return nil, Classify("find the ID of topic "+name, kerr.UnsupportedVersion)
		}
	}
	log, err := c.readGaps(ctx)
	if err != nil {
		return nil, err
	}
	native := map[Key]codec.NativeEntry{}
	for e := range log.fold.All() {
		for name, topic := range topics {
			if topic.ID == e.TopicID {
				native[Key{c.group, name, e.Partition}] = e
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, partitions := range offsets {
		for partition, offset := range partitions {
			key := Key{c.group, topic, partition}
			id := codec.NativeID{Group: c.group, TopicID: topics[topic].ID, Partition: partition}
			t, err := resume(id, native[key], key, offset)
			if err != nil {
				delete(partitions, partition)
				c.failed = append(c.failed, fmt.Errorf("%s is not consumed: %w", key, err))
				continue
			}
			c.parts[t.place] = t
			if t.next >= 0 && t.next != offset.EpochOffset().Offset {
				partitions[partition] = kgo.NewOffset().At(t.next)
			}
		}
	}
	if len(c.failed) > 0 && c.wake != nil {
		c.wake()
	}
	return offsets, nil
}

// readGaps reads the native records of the group. The offsets are stable by
// now, so its transactions have ended; but the markers that say so may not have
// come to this topic yet.
func (c *Consumer) readGaps(ctx context.Context) (*nativeLog, error) {
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
			return log, nil
		}
		if ctx.Err() != nil {
			return nil, c.store.Failure("wait for a commit of group "+c.group+" to end", ctx.Err())
		}
		pause(ctx, 5*time.Millisecond)
		n.readOn(ctx, c.store)
	}
}

// resume is a partition as it was committed. Where Kafka's offset is not the
// native one, somebody has moved it since, and it says what counts as done: all
// below it, and when it was moved back, nothing above it.
func resume(id codec.NativeID, native codec.NativeEntry, key Key, offset kgo.Offset) (*tracked, error) {
	at := place{key.Topic, key.Partition}
	start := offset.EpochOffset()
	if len(native.Slots) == 0 {
		set := codec.NewGapSet(codec.Complete(max(0, start.Offset)))
		start.Offset = max(NoOffset, start.Offset)
		return newTracked(at, id, set, start), nil
	}
	set, written, err := loadSlots(native)
	if err != nil {
		return nil, err
	}
	t := newTracked(at, id, set, start)
	switch stable := set.Stable(); {
	case start.Offset < 0:
		t.next = stable // Kafka's offset has expired, the gaps have not
	case start.Offset > stable:
		set.Done(codec.Range{Start: stable, End: start.Offset})
		t.changed = true
	case start.Offset < stable:
		t.set = codec.NewGapSet(codec.Complete(start.Offset))
		t.set.MarkDirty(written...)
		t.changed = true
	}
	return t, nil
}

// loadSlots is what is committed in any slot, as the state of slot 0, and the
// windows for which that slot has a chunk.
func loadSlots(e codec.NativeEntry) (set *codec.GapSet, written []int64, err error) {
	if len(e.Slots) == 1 && e.Slots[0].Slot == 0 {
		set, reading, err := e.Slots[0].GapSet()
		return set, reading.Windows, err
	}
	state, err := e.State()
	if err != nil {
		return nil, nil, err
	}
	set = codec.NewGapSet(state)
	if e.Slots[0].Slot == 0 {
		reading, _ := e.Slots[0].Read()
		written = reading.Windows
	}
	set.MarkDirty(append(set.Windows(), written...)...)
	return set, written, nil
}

// revoke commits what is done of partitions that another member is to get, and
// gives them up.
func (c *Consumer) revoke(ctx context.Context, cl *kgo.Client, partitions map[string][]int32) {
	c.turn <- struct{}{} // a commit under way ends within its own time
	defer func() { <-c.turn }()
	parts := c.drop(partitions)
	if err := c.commit(ctx, cl, parts); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = append(c.failed, err)
	}
}

// drop gives partitions up, as they are.
func (c *Consumer) drop(partitions map[string][]int32) (parts []*tracked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, numbers := range partitions {
		for _, partition := range numbers {
			at := place{topic, partition}
			if t := c.parts[at]; t != nil {
				parts = append(parts, t)
				delete(c.parts, at)
			}
		}
	}
	return parts
}
