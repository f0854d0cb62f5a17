package gapstore

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// lane is records that are delivered one by one: what waits comes out when the
// one before it is finished.
type lane struct {
	key  string
	next []*held // retries by where they come from, then fresh records
	out  *kgo.Record
	// failed is what has failed, and not been read on the retry topic yet.
	failed *Origin
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
