package gapstore

import (
	"container/heap"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// backlog is what a partition and its retry partition have given, and Poll has
// not: records that wait for their time, for others, or just for the next Poll.
// It is safe for concurrent use.
type backlog struct {
	retry *Retry
	hold  int
	keyed bool // records without a key have no order

	mu      sync.Mutex
	ready   pile // what may be given now
	waiting pile // retries, each until its time
	counter int64
	// fresh and retried are the records held, and failed the copies that are on
	// their way to the retry topic, as far as they hold a lane.
	fresh, retried, failed int
	// lanes are the records that have an order, by key; nil where none is kept.
	lanes map[string]*lane
	// barrier is where the retry partition ended when this member got it. Before
	// it has read so far it does not know which keys wait there, and open is
	// false: no lane lets anything through.
	barrier int64
	open    bool

	// Whether the partitions are not read for now; of whoever polls.
	freshPaused, retriesPaused bool
}

// held is a record of a backlog.
type held struct {
	*kgo.Record
	from   *tracked
	retry  bool
	origin Origin
	due    int64    // in milliseconds since the epoch; 0: at once
	rank   [2]int64 // among those that are ready
}

func newBacklog(r *Retry, sharing Sharing, barrier int64) *backlog {
	b := &backlog{retry: r, hold: r.Hold, keyed: sharing == ByKey, barrier: barrier, open: !r.Order.blocks(),
		ready:   pile{less: func(a, b *held) bool { return slices.Compare(a.rank[:], b.rank[:]) < 0 }},
		waiting: pile{less: func(a, b *held) bool { return a.due < b.due || a.due == b.due && a.origin.Offset < b.origin.Offset }},
	}
	if b.hold == 0 {
		b.hold = holdRecords
	}
	if r.Order.blocks() {
		b.lanes = map[string]*lane{}
	}
	return b
}

// add takes a record that the log of one of the two partitions has given.
func (b *backlog) add(r *kgo.Record, from *tracked) {
	h := &held{Record: r, from: from, retry: r.Topic == b.retry.Topic, origin: b.retry.originOf(r)}
	if h.retry {
		h.due, _ = numberIn(r, RetryDue)
		if arrived, ok := numberIn(r, RetryArrived); ok {
			r.Timestamp = time.UnixMilli(arrived)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.retry {
		b.retried++
	} else {
		b.fresh++
	}
	key, ordered := b.laneOf(r)
	if !ordered {
		b.release(h)
		return
	}
	l := b.lanes[key]
	if l == nil {
		l = &lane{key: key}
		b.lanes[key] = l
	}
	l.enter(h)
	if h.retry && l.failed != nil && *l.failed == h.origin.bare() {
		l.failed = nil
		b.failed--
	}
	b.advance(l)
}

// release makes a record wait for nothing but its time.
func (b *backlog) release(h *held) {
	if h.due > 0 {
		heap.Push(&b.waiting, h)
		return
	}
	b.counter++
	h.rank = [2]int64{0, b.counter}
	if b.retry.Order == OrderPseudo {
		h.rank = [2]int64{h.Timestamp.UnixMilli(), h.origin.Offset}
	}
	heap.Push(&b.ready, h)
}

// give appends what may be given at a time, in milliseconds since the epoch, to
// records, until these are limit; 0: no limit.
func (b *backlog) give(now int64, limit int, records []*kgo.Record) []*kgo.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.waiting.items) > 0 && b.waiting.items[0].due <= now {
		h := heap.Pop(&b.waiting).(*held)
		h.due = 0
		b.release(h)
	}
	for len(b.ready.items) > 0 && (limit == 0 || len(records) < limit) {
		h := heap.Pop(&b.ready).(*held)
		if h.retry {
			b.retried--
		} else {
			b.fresh--
		}
		h.from.handOut()
		records = append(records, h.Record)
	}
	return records
}

// nextAt is when there is something to give, if nothing else happens.
func (b *backlog) nextAt() (at int64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case len(b.ready.items) > 0:
		return 0, true
	case len(b.waiting.items) > 0:
		return b.waiting.items[0].due, true
	}
	return 0, false
}

// finish marks r as done, or as copied to the retry topic, and lets out what
// waited for it. Where records have an order, only one that is in hand can be
// finished: what somebody still works on from before the partition went and came
// back is not. more reports whether there is something to give now.
func (b *backlog) finish(r *kgo.Record, copied *Origin, mark func() bool) (more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key, ordered := b.laneOf(r)
	if !ordered {
		mark()
		return false
	}
	l := b.lanes[key]
	if l == nil || l.out != r || !mark() {
		return false
	}
	l.out, l.failed = nil, copied
	if copied != nil {
		b.failed++
	}
	b.advance(l)
	return len(b.ready.items) > 0 || len(b.waiting.items) > 0
}

// reached takes note that the retry partition has been read up to next.
func (b *backlog) reached(next int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open || next < b.barrier {
		return
	}
	b.open = true
	for _, l := range b.lanes {
		b.advance(l)
	}
}

// room is whether either partition is to be read no further for now: from when
// the backlog is full until half of it has gone.
func (b *backlog) room() (pauseFresh, pauseRetries bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := func(n int, paused bool) bool { return n >= b.hold || paused && n > b.hold/2 }
	return full(b.fresh+b.failed, b.freshPaused), full(b.retried, b.retriesPaused)
}
