package repair

import (
	"context"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
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
	topics, err := store.Topics(ctx, []string{op.ToTopic})
	if err == nil {
		err = topics[op.ToTopic].Err
	}
	if err != nil {
		return c, err
	}
	c.partitions = int32(len(topics[op.ToTopic].Logs))
	return c, nil
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

// originOf is the record that a record of a dead-letter topic stands for, and
// the group that gave it up; false when its headers do not say.
func originOf(r *kgo.Record) (group string, at gapstore.Target, ok bool) {
	o, ok := gapstore.OriginOf(r)
	if !ok {
		return "", gapstore.Target{}, false
	}
	at = gapstore.Target{Topic: o.Topic, Partition: o.Partition, Ranges: codec.NewRanges(codec.Range{Start: o.Offset, End: o.Offset + 1})}
	return o.Group, at, true
}
