package gapstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// retriesAtOnce bounds what is taken from the retry topic before it is looked
// whether there is room for more.
const retriesAtOnce = 500

// openRetries makes the client that reads the retry topic. The group does not
// divide that topic: its partitions go with those of the topic consumed, whatever
// the balancer.
func (c *Consumer) openRetries(ctx context.Context, dial Dial) error {
	if err := c.retry.verify(ctx, c.store); err != nil {
		return err
	}
	var err error
	c.retries, err = dial(
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), // else a copy that is taken back would be delivered
		kgo.KeepControlRecords(),                     // they say how far it has been read
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(250*time.Millisecond), // a partition that is added waits for that
		kgo.WithHooks(fetchHook(c.wakeUp)))
	return Classify("read topic "+c.retry.Topic, err)
}

// fetchHook is called when records have come.
type fetchHook func()

// OnFetchRecordBuffered is called for each record.
func (h fetchHook) OnFetchRecordBuffered(*kgo.Record) { h() }

func (c *Consumer) wakeUp() {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.wake != nil {
		c.wake()
	}
}

// companion is the retry partition that goes with at.
func (c *Consumer) companion(at place) place { return place{c.retry.Topic, at.partition} }

// withCompanion is at, and the retry partition that goes with it.
func (c *Consumer) withCompanion(at place) []place {
	if c.retry == nil {
		return []place{at}
	}
	return []place{at, c.companion(at)}
}

// startRetries begins to read the retry partitions among parts. Whoever calls it
// has pull.
func (c *Consumer) startRetries(parts []*tracked) {
	add := map[int32]kgo.Offset{}
	for _, t := range parts {
		if c.retry == nil || t.topic != c.retry.Topic {
			continue
		}
		add[t.partition] = kgo.NewOffset().AtStart()
		if t.next >= 0 {
			add[t.partition] = kgo.NewOffset().At(t.next)
		}
	}
	if len(add) > 0 {
		c.retries.AddConsumePartitions(map[string]map[int32]kgo.Offset{c.retry.Topic: add})
	}
}

// stopRetries stops reading the retry partitions among parts, and takes back that
// any of parts was paused. Whoever calls it has pull.
func (c *Consumer) stopRetries(parts []*tracked) {
	remove, resume := map[string][]int32{}, map[string][]int32{}
	for _, t := range parts {
		if c.retry == nil {
			continue
		}
		paused := t.backlog.freshPaused
		if t.topic == c.retry.Topic {
			paused = t.backlog.retriesPaused
			remove[t.topic] = append(remove[t.topic], t.partition)
		}
		if paused { // which would outlast the assignment
			resume[t.topic] = append(resume[t.topic], t.partition)
		}
	}
	if len(remove) > 0 {
		c.retries.RemoveConsumePartitions(remove)
	}
	if len(resume) > 0 {
		c.client.ResumeFetchPartitions(resume)
		c.retries.ResumeFetchPartitions(resume)
	}
}

// sortPairs sorts parts so that each partition comes before its retry partition.
// What is done on one lets go the next record of its lane on the other: taken in
// this order, no commit has that without what it waited for. Nor has it because
// the two are not in one transaction.
func (c *Consumer) sortPairs(parts []*tracked) {
	slices.SortFunc(parts, func(s, t *tracked) int {
		if s.partition != t.partition {
			return cmp.Compare(s.partition, t.partition)
		}
		if s.topic == c.retry.Topic {
			return 1
		}
		return -1
	})
}

// withCompanions adds to offsets the retry partitions, with what the group has
// committed there.
func (c *Consumer) withCompanions(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	if len(offsets) > 1 { // by a regular expression
		return nil, errors.New("consumer: a retry topic takes the records of one topic")
	}
	all := maps.Clone(offsets)
	companions := map[int32]kgo.Offset{}
	for _, partitions := range offsets {
		for partition := range partitions {
			companions[partition] = kgo.NewOffset().AtStart()
		}
	}
	if err := c.askAgain(ctx, map[string]map[int32]kgo.Offset{c.retry.Topic: companions}); err != nil {
		return nil, err
	}
	all[c.retry.Topic] = companions
	return all, nil
}

// giveBacklogs gives each partition and its retry partition a backlog. Where one of them
// can not be consumed, neither is. By now all commits of earlier members have
// ended, and their copies are below the end of the log, though readers may not
// get them yet: the markers come later.
func (c *Consumer) giveBacklogs(ctx context.Context, parts []*tracked, offsets map[string]map[int32]kgo.Offset) (paired []*tracked, failed []error, err error) {
	byPlace := map[place]*tracked{}
	for _, t := range parts {
		byPlace[t.place] = t
	}
	topic, err := c.retryLogs(ctx, offsets)
	if err != nil {
		return nil, nil, err
	}
	for name, partitions := range offsets {
		for partition := range partitions {
			at := place{name, partition}
			t, retries := byPlace[at], byPlace[c.companion(at)]
			log, ok := topic.Log(partition)
			switch {
			case !ok:
				failed = append(failed, fmt.Errorf("%s is not consumed: topic %s has too few partitions: %d", Key{c.group, name, partition}, c.retry.Topic, len(topic.Logs)))
				fallthrough
			case t == nil || retries == nil: // which was said already
				delete(partitions, partition)
				continue
			case log.Err != nil:
				return nil, nil, log.Err
			}
			b := newBacklog(c.retry, c.sharing, log.End)
			b.reached(max(retries.next, log.Start))
			t.backlog, retries.backlog = b, b
			paired = append(paired, t, retries)
		}
	}
	return paired, failed, nil
}

// retryLogs is the retry topic, with the ends of the partitions that go with
// those of offsets.
func (c *Consumer) retryLogs(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (*Topic, error) {
	topics, err := c.store.Topics(ctx, []string{c.retry.Topic})
	if err == nil {
		err = topics[c.retry.Topic].Err
	}
	if err != nil {
		return nil, err
	}
	var numbers []int32
	for _, partitions := range offsets {
		numbers = slices.AppendSeq(numbers, maps.Keys(partitions))
	}
	c.store.Ends(ctx, topics, map[string][]int32{c.retry.Topic: numbers})
	return topics[c.retry.Topic], nil
}
