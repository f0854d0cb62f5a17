package gapstore

import (
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Done marks records as done. They are committed by the next [Consumer.Commit].
// One that has an output is done by [Consumer.Finish], one that failed by
// [Consumer.Fail].
// It is safe for concurrent use, at a cost that does not grow with the number
// of gaps; many records of one partition in a row cost less than one by one.
// Records of partitions that this member no longer has are ignored.
func (c *Consumer) Done(records ...*kgo.Record) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for len(records) > 0 {
		first, n := records[0], 1
		for n < len(records) && records[n].Partition == first.Partition && records[n].Topic == first.Topic {
			n++
		}
		if t := c.parts[place{first.Topic, first.Partition}]; t != nil && t.backlog == nil {
			t.done(records[:n]...)
		} else if t != nil {
			for _, r := range records[:n] {
				c.finish(t, r, nil)
			}
		}
		records = records[n:]
	}
}

// Finish marks r as done, together with its outputs: records to write that come
// of it. The next [Consumer.Commit] writes them in its transaction, so that for
// readers that read committed each record's outputs are there exactly once,
// whatever is killed. If the commit fails, they go with the next one. If r is not
// this member's any more, or done already, they are dropped: whoever has r
// makes them.
//
// An output goes to the partition that its key says, as with any producer; its
// Partition counts for nothing. Outputs stay in memory until the commit: how often
// to commit bounds that. One that is larger than 1,000,000 bytes, or has no topic,
// is an error, and then r is not done.
func (c *Consumer) Finish(r *kgo.Record, outputs ...*kgo.Record) error {
	records := make([]*kgo.Record, len(outputs))
	for i, output := range outputs {
		o := *output
		o.Partition = -1
		records[i] = &o
	}
	return c.result(r, nil, records)
}

// Fail says that processing r has failed: see [Retry]. The next [Consumer.Commit]
// writes a copy of it to the retry topic, or to the dead-letter topic when it was
// delivered for the last time, and marks r as done, in one transaction; the copy's
// headers (KIP-1191) say where r comes from, how often it has failed, and the
// cause.
//
// A record that is too large to be copied is an error; then it stays in hand.
// Without [ConsumerOptions.Retry] Fail is [Consumer.Release].
func (c *Consumer) Fail(r *kgo.Record, cause error) error {
	if c.retry == nil {
		c.Release(r)
		return nil
	}
	copied := c.retry.copyOf(r, c.group, cause, time.Now())
	var again *Origin
	if copied.Topic == c.retry.Topic {
		o, _ := OriginOf(copied)
		o = o.bare()
		again = &o
	}
	return c.result(r, again, []*kgo.Record{copied})
}

// result finishes r with records to write; again is what one of these, a retry,
// is a copy of.
func (c *Consumer) result(r *kgo.Record, again *Origin, records []*kgo.Record) error {
	op := fmt.Sprintf("write what came of %s/%d at offset %d", r.Topic, r.Partition, r.Offset)
	for _, made := range records {
		if made.Topic == "" {
			return &Error{Op: op, Err: errors.New("an output has no topic")}
		}
		if size := sizeInBatch(made); size > nativeBatch {
			return &SizeError{Op: op, What: "bytes in one record", Need: size, Limit: nativeBatch}
		}
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if t := c.parts[place{r.Topic, r.Partition}]; t != nil {
		c.finish(t, r, again, records...)
	}
	return nil
}

// finish marks r as done, and wakes Poll where something has waited for that.
func (c *Consumer) finish(t *tracked, r *kgo.Record, again *Origin, records ...*kgo.Record) {
	mark := func() bool { return t.finish(r, c.finished.Add(1), records...) }
	if t.backlog == nil {
		mark()
	} else if t.backlog.finish(r, again, mark) && c.wake != nil {
		c.wake()
	}
}

// Release says that records that Poll has given are not going to be done by this
// member: a rebalance need not wait for them. They stay outstanding, and come
// again when their part is next given to a member. A record is released once,
// and not after it is done.
func (c *Consumer) Release(records ...*kgo.Record) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range records {
		if t := c.parts[place{r.Topic, r.Partition}]; t != nil {
			t.release()
		}
	}
}
