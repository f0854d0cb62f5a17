package gapstore

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// While a record waits, those after it of its key are delivered to nobody: not
// to the member that failed it, nor to one that comes after a crash.
func TestRetryBlocksAKey(t *testing.T) {
	delay := time.Hour
	w, _ := newRetrying(t, 1, Retry{Order: OrderBlockKey, Delay: func(int) time.Duration { return delay }})
	w.send(w.topic, keyed("a1", "b1", "b2", "a2", "a3", "b3")...)
	c := w.join(w.options())
	for _, round := range [][]string{{"a1", "b1"}, {"a2"}} { // each record after the one before it
		values, records := w.next(c, len(round))
		if !equal(values, round...) {
			t.Fatalf("delivered %v, want %v", values, round)
		}
		w.judge(c, records, "b1")
	}
	w.mustCommit(c)
	w.next(c, 1)
	w.nothing(c)
	c.crash()

	c = w.join(w.options())
	values, records := w.next(c, 1)
	if !equal(values, "a3") {
		t.Errorf("after the crash: %v", values)
	}
	w.judge(c, records)
	w.nothing(c)
	w.mustCommit(c)
	if got := w.everything(); got != "out [a1 a2 a3], retry [b1], dead [], done [orders 0 orders 1 orders 3]" {
		t.Errorf("%s", got)
	}
	c.crash()
}

// With an order of the whole partition, one record of it is in hand at a time.
func TestRetryBlocksAPartition(t *testing.T) {
	w, _ := newRetrying(t, 2, Retry{Order: OrderBlockPartition, Attempts: 2})
	w.send(w.topic, keyed("a1", "b1", "c1")...)
	other := keyed("x1")
	other[0].Partition = 1
	w.send(w.topic, other...)
	c := w.join(w.options())
	for i, want := range [][]string{{"a1", "x1"}, {"b1"}, {"b1"}, {"c1"}} {
		values, records := w.next(c, len(want))
		slices.Sort(values)
		if !equal(values, want...) {
			t.Fatalf("round %d: %v", i, values)
		}
		w.judge(c, records, "b1")
		w.mustCommit(c)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	w.allDone()
}

func TestRetryHoldsNoMoreThanItMay(t *testing.T) {
	const hold, n = 8, 200
	w, _ := newRetrying(t, 1, Retry{Order: OrderBlockKey, Attempts: 2, Hold: hold, Delay: func(int) time.Duration { return 300 * time.Millisecond }})
	w.send(w.topic, keyed(slices.Repeat([]string{"b"}, n)...)...)
	c := w.join(w.options())
	records, most := 0, 0
	for records < n+1 {
		got, err := c.Poll(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		c.mu.RLock()
		b := c.parts[place{w.topic, 0}].backlog
		c.mu.RUnlock()
		b.mu.Lock()
		most = max(most, b.fresh+b.retried)
		b.mu.Unlock()
		for _, r := range got {
			if records++; records == 1 {
				w.judge(c, got, "b")
				w.mustCommit(c)
			}
			c.Done(r)
		}
	}
	if most < hold || most > hold+4+1 {
		t.Errorf("%d records were held, of at most %d and a poll", most, hold)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	w.allDone()
}

// A worker that still has a record from before its partition went and came back
// can not finish it: the record is in other hands, and others may come before it.
func TestRetryIgnoresWhatIsNotInHand(t *testing.T) {
	w, _ := newRetrying(t, 1, Retry{Order: OrderBlockKey})
	w.send(w.topic, keyed("b1", "b2")...)
	c := w.join(w.options())
	_, first := w.next(c, 1)
	w.judge(c, first)
	_, second := w.next(c, 1)
	parts := map[string][]int32{w.topic: {0}}
	c.drop(parts) // nothing was committed
	offsets, err := c.begin(t.Context(), map[string]map[int32]kgo.Offset{w.topic: {0: kgo.NewOffset().AtStart()}})
	if err != nil {
		t.Fatal(err)
	}
	at := offsets[w.topic][0].EpochOffset()
	at.Offset = max(0, at.Offset)
	c.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{w.topic: {0: at}})
	for _, want := range []string{"b1", "b2"} {
		values, records := w.next(c, 1)
		if !equal(values, want) {
			t.Errorf("delivered %v, want %s", values, want)
		}
		w.judge(c, second) // b2, of old
		w.judge(c, records)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := w.committedValues(w.topic + "-out"); !equal(got, "b1", "b2") {
		t.Errorf("put out: %v", got)
	}
}

// A commit takes each partition right before its retry partition, so that nothing
// is committed without what it has waited for.
func TestRetryCommitsPairs(t *testing.T) {
	c := &Consumer{retry: &Retry{Topic: "retry"}}
	var parts []*tracked
	for p := range int32(20) {
		parts = append(parts, &tracked{place: place{"orders", p}}, &tracked{place: place{"retry", p}})
	}
	rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	c.sortPairs(parts)
	for i := 0; i < len(parts); i += 2 {
		if parts[i].topic != "orders" || parts[i+1].place != c.companion(parts[i].place) {
			t.Errorf("%v before %v", parts[i].place, parts[i+1].place)
		}
	}
	if partitionsPerCommit%2 != 0 {
		t.Error("a pair may be in two transactions")
	}
}
