package gapstore

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// stock is a backlog with its two partitions, fed by hand.
type stock struct {
	*backlog
	fresh, retries *tracked
	next           map[string]int64 // offsets
}

func newStock(order RetryOrder, barrier int64) *stock {
	part := func(topic string) *tracked {
		return newTracked(place{topic, 0}, codec.NativeID{}, codec.NewGapSet(codec.State{}), kgo.EpochOffset{})
	}
	return &stock{newBacklog(&Retry{Topic: "retry", Order: order}, Whole, barrier), part("orders"), part("retry"), map[string]int64{}}
}

// put puts a record in that arrived at a millisecond: a fresh one, or, where due
// is not negative, a retry that is due then.
func (s *stock) put(key string, arrived, due int64) *kgo.Record {
	r := &kgo.Record{Topic: "orders", Key: []byte(key), Value: []byte(key), Timestamp: time.UnixMilli(arrived)}
	from := s.fresh
	if due >= 0 {
		failed := *r
		retry := *s.retry
		retry.Delay = func(int) time.Duration { return time.Duration(due) * time.Millisecond }
		r, from = retry.copyOf(&failed, "g", nil, time.UnixMilli(0)), s.retries
	}
	r.Offset = s.next[r.Topic]
	s.next[r.Topic]++
	s.add(r, from)
	return r
}

func (s *stock) takeAt(now int64, limit int) (values []string) {
	for _, r := range s.give(now, limit, nil) {
		values = append(values, string(r.Value))
	}
	return values
}

// Retries that are due go where they arrived.
func TestBacklogPseudoOrder(t *testing.T) {
	s := newStock(OrderPseudo, 0)
	s.put("c", 30, -1)
	s.put("e", 50, -1)
	s.put("d", 40, 1000)
	s.put("a", 10, 2000)
	s.put("b", 20, 1000)
	if got := s.takeAt(999, 1); !equal(got, "c") {
		t.Errorf("before any is due: %v", got)
	}
	if at, ok := s.nextAt(); !ok || at != 0 {
		t.Errorf("next at %d, %v", at, ok)
	}
	if got := s.takeAt(1000, 0); !equal(got, "b", "d", "e") {
		t.Errorf("when two are due: %v", got)
	}
	if at, ok := s.nextAt(); !ok || at != 2000 {
		t.Errorf("next at %d, %v", at, ok)
	}
	if got := s.takeAt(2000, 0); !equal(got, "a") {
		t.Errorf("at last: %v", got)
	}
	if _, ok := s.nextAt(); ok || s.fresh.inHand() != 2 || s.retries.inHand() != 3 || s.backlog.fresh+s.retried != 0 {
		t.Errorf("in hand %d and %d", s.fresh.inHand(), s.retries.inHand())
	}
}

// Nothing is given before it is known what waits on the retry topic; then a retry
// goes before what came after it.
func TestBacklogWaitsForTheBarrier(t *testing.T) {
	s := newStock(OrderBlockKey, 2)
	for _, key := range []string{"a", "b", "b"} {
		s.put(key, 0, -1)
	}
	s.put("b", 0, 500)
	s.reached(1)
	if got := s.takeAt(1000, 0); got != nil {
		t.Errorf("before the barrier: %v", got)
	}
	s.reached(2)
	if got := s.takeAt(499, 0); !equal(got, "a") {
		t.Errorf("after it: %v", got)
	}
	records := s.give(500, 0, nil)
	if len(records) != 1 || records[0].Topic != "retry" {
		t.Fatalf("when the retry is due: %v", records)
	}
	s.finish(records[0], nil, func() bool { return true })
	if got := s.takeAt(500, 0); !equal(got, "b") {
		t.Errorf("after the retry: %v", got)
	}
	if len(s.lanes) != 2 { // each with a record in hand
		t.Errorf("%d lanes", len(s.lanes))
	}
}
