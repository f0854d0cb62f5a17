package gapstore

import (
	"container/heap"
	"slices"
	"sync"

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

// lane is records that are delivered one by one: what waits comes out when the
// one before it is finished.
type lane struct {
	key  string
	next []*held // retries by where they come from, then fresh records
	out  *kgo.Record
	// failed is what has failed, and not been read on the retry topic yet.
	failed *Origin
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
			r.Timestamp = timeOf(arrived)
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

// bare is the origin without what does not tell copies of one group apart.
func (o Origin) bare() Origin {
	o.Group = ""
	return o
}

// laneOf names the lane of a record; false: it has no order.
func (b *backlog) laneOf(r *kgo.Record) (key string, ordered bool) {
	switch {
	case b.lanes == nil || r.Key == nil && b.keyed:
		return "", false
	case b.retry.Order == OrderBlockPartition:
		return "", true
	case r.Key == nil:
		return "no key", true
	}
	return "key " + string(r.Key), true
}

// enter puts h where it belongs: a retry before all that came after it.
func (l *lane) enter(h *held) {
	at := len(l.next)
	if h.retry {
		at, _ = slices.BinarySearchFunc(l.next, h, func(e, h *held) int {
			if e.retry && e.origin.Offset <= h.origin.Offset {
				return -1
			}
			return 1
		})
	}
	l.next = slices.Insert(l.next, at, h)
}

// advance lets the next record of a lane out, when the one before has finished.
func (b *backlog) advance(l *lane) {
	if !b.open || l.out != nil || l.failed != nil {
		return
	}
	if len(l.next) == 0 {
		delete(b.lanes, l.key)
		return
	}
	h := l.next[0]
	l.next[0] = nil
	l.next = l.next[1:]
	l.out = h.Record
	b.release(h)
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
