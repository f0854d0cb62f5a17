package repair

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// A copy has the headers that say where it comes from, and how often it was
// replayed. Their values are text.
const (
	headerReplays = "__gapctl.replay.count"

	addedHeaders  = 7
	replayMessage = "Replayed by gapctl: " // and the record's state
)

// copies makes the copies of records.
type copies struct {
	op         Replay
	partitions int32 // of the topic they go to
	stamps     map[place]*stamp
	memory     *copyMemory
}

// copyMemory is where copies have their headers. As there may be millions, it
// is used again for others once a batch of them is written.
type copyMemory struct {
	headers []kgo.RecordHeader
	digits  []byte
}

func (m *copyMemory) reset() { m.headers, m.digits = m.headers[:0], m.digits[:0] }

// stamp is what the copies of one partition have in common.
type stamp struct {
	state      inspect.RecordState
	deliveries int
	headers    [addedHeaders]kgo.RecordHeader
}

// Where a stamp has what differs from copy to copy.
const (
	offsetAt  = 2
	replaysAt = 6
)

// The memory for headers grows up to that of as many copies as this.
const copiesAtOnce = 1 << 14

// newCopies is for copies to the topic of op, as it is now.
func newCopies(ctx context.Context, store *gapstore.Store, op Replay) (copies, error) {
	c := copies{op: op, stamps: map[place]*stamp{}, memory: &copyMemory{}}
	if !op.Repartition || op.Partitioner == "" {
		return c, nil
	}
	n, err := partitionsOf(ctx, store, op.ToTopic)
	c.partitions = int32(n)
	return c, err
}

// of turns r into its copy: its key, value, headers and timestamp, with the
// headers that say where it comes from.
func (c *copies) of(r *inspect.Record) *kgo.Record {
	headers := c.headersOf(r)
	partition := r.Partition
	if c.op.Repartition {
		partition = c.place(r.Key)
	}
	*r.Record = kgo.Record{Topic: c.op.ToTopic, Partition: partition, Key: r.Key, Value: r.Value, Headers: headers, Timestamp: r.Timestamp}
	return r.Record
}

// place is the partition of a key; -1: the producer chooses.
func (c *copies) place(key []byte) int32 {
	if key == nil || c.partitions == 0 {
		return -1
	}
	return inspect.KeyPartition(c.op.Partitioner, key, c.partitions)
}

func (c *copies) headersOf(r *inspect.Record) []kgo.RecordHeader {
	m := c.memory
	if n := len(r.Headers) + addedHeaders; cap(m.headers)-len(m.headers) < n {
		m.headers = make([]kgo.RecordHeader, 0, max(n, min(2*cap(m.headers), copiesAtOnce*addedHeaders), 1<<8))
	}
	first, replayed := len(m.headers), int64(0)
	for _, h := range r.Headers {
		switch {
		case h.Key == headerReplays:
			n, _ := gapstore.HeaderNumber(h.Value)
			replayed = max(0, n)
		case !strings.HasPrefix(h.Key, gapstore.CopiedPrefix): // of an earlier replay
			m.headers = append(m.headers, h)
		}
	}
	added := len(m.headers)
	m.headers = append(m.headers, c.stampOf(r).headers[:]...)
	m.headers[added+offsetAt].Value = m.number(r.Offset)
	if replayed > 0 {
		m.headers[added+replaysAt].Value = m.number(replayed + 1)
	}
	return m.headers[first:len(m.headers):len(m.headers)]
}

func (m *copyMemory) number(n int64) []byte {
	const most = 20 // digits
	if cap(m.digits)-len(m.digits) < most {
		m.digits = make([]byte, 0, max(1<<10, min(2*cap(m.digits), copiesAtOnce*most)))
	}
	from := len(m.digits)
	m.digits = strconv.AppendInt(m.digits, n, 10)
	return m.digits[from:len(m.digits):len(m.digits)]
}

func (c *copies) stampOf(r *inspect.Record) *stamp {
	at := place{r.Topic, r.Partition}
	s := c.stamps[at]
	if s == nil || s.state != r.State || s.deliveries != r.Deliveries {
		s = newStamp(r)
		c.stamps[at] = s
	}
	return s
}

func newStamp(r *inspect.Record) *stamp {
	number := func(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
	return &stamp{r.State, r.Deliveries, [addedHeaders]kgo.RecordHeader{
		{Key: gapstore.CopiedTopic, Value: []byte(r.Topic)},
		{Key: gapstore.CopiedPartition, Value: number(int(r.Partition))},
		offsetAt: {Key: gapstore.CopiedOffset},
		{Key: gapstore.CopiedGroup, Value: []byte(r.Group)},
		{Key: gapstore.CopiedDeliveries, Value: number(max(0, r.Deliveries))},
		{Key: gapstore.CopiedMessage, Value: []byte(replayMessage + string(r.State))},
		replaysAt: {Key: headerReplays, Value: number(1)},
	}}
}

// replays is how often r was replayed before.
func replays(r *kgo.Record) int64 {
	value, _ := gapstore.HeaderOf(r, headerReplays)
	n, _ := gapstore.HeaderNumber(value)
	return max(0, n)
}

// CheckTarget is nil when the copies of a replay can go to its topic: it is
// there, and has a partition for each that is replayed.
func (r Replay) CheckTarget(ctx context.Context, store *gapstore.Store, g *inspect.Group) error {
	if r.ToTopic == "" {
		return nil
	}
	n, err := partitionsOf(ctx, store, r.ToTopic)
	if err != nil || r.Repartition {
		return err
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		at := targetOf(p)
		if int(p.Partition) >= n && !r.chosen(at, r.source(p)).Empty() {
			return fmt.Errorf("%w: %s has %s, so the records of %s have no partition of the same number; --repartition goes by their keys", ErrRefused, r.ToTopic, plural(int64(n), "partition", "partitions"), at)
		}
	}
	return nil
}

// partitionsOf is how many partitions a topic has.
func partitionsOf(ctx context.Context, store *gapstore.Store, topic string) (int, error) {
	topics, err := store.Topics(ctx, []string{topic})
	if err != nil {
		return 0, err
	}
	return len(topics[topic].Logs), topics[topic].Err
}
