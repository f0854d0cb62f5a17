package gapstore

import (
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// BenchmarkConsumerDone marks a million outstanding records as done, in random
// order.
func BenchmarkConsumerDone(b *testing.B) {
	const n = 1_000_000
	var rs []codec.Range
	for at := range int64(n) {
		rs = append(rs, codec.Range{Start: at * 10, End: at*10 + 1})
	}
	state := codec.State{Max: n * 10, Gaps: codec.NewRanges(rs...)}
	offsets := make([]int64, n)
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		offsets[i] = int64(at) * 10
	}
	c := &Consumer{parts: map[place]*tracked{}}
	record := &kgo.Record{Topic: "orders"}
	for i := n; b.Loop(); i++ {
		if i == n {
			b.StopTimer()
			c.parts[place{"orders", 0}] = newTracked(place{"orders", 0}, codec.NativeID{}, codec.NewGapSet(state), kgo.EpochOffset{})
			i = 0
			b.StartTimer()
		}
		record.Offset = offsets[i]
		c.Done(record)
	}
}

// A commit writes what changed, however many gaps there are.
func TestCommitWritesOnlyWhatChanged(t *testing.T) {
	const span, gaps = 10_000_000, 1_000_000
	var rs []codec.Range
	for at := int64(0); at < gaps; at++ {
		rs = append(rs, codec.Range{Start: at * 10, End: at*10 + 1})
	}
	set := codec.NewGapSet(codec.State{Max: span, Gaps: codec.NewRanges(rs...)})
	tr := newTracked(place{"orders", 0}, codec.NativeID{Group: "billing"}, set, kgo.EpochOffset{})
	commit := func() (windows map[int64]bool, records int) {
		d, _, err := tr.take(codec.NativeStamp{})
		if err != nil {
			t.Fatal(err)
		}
		return chunks(t, d.records), len(d.records)
	}
	scattered := map[int64]bool{}
	for i := range int64(1000) {
		at := (i*7919*10 + 50) % span
		tr.done(&kgo.Record{Offset: at})
		scattered[at/codec.NativeWindow] = true
	}
	if windows, records := commit(); len(windows) != len(scattered) || records != len(windows)+1 {
		t.Errorf("scattered: %d chunks in %d records, %d windows changed", len(windows), records, len(scattered))
	}
	for i := range int64(1000) {
		tr.done(&kgo.Record{Offset: 50*codec.NativeWindow/10*10 + 100 + i*10})
	}
	if windows, records := commit(); records != 2 || !windows[50] {
		t.Errorf("inside one window: chunks %v in %d records, want one and the head", windows, records)
	}
}
