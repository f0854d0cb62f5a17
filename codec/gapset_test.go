package codec

import (
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// gapModel is the plain way to keep a state.
type gapModel struct{ state State }

func (m *gapModel) done(r Range) {
	s := &m.state
	if r.Start > s.Max {
		s.Gaps = s.Gaps.Union(NewRanges(Range{s.Max, r.Start}))
	}
	s.Gaps = s.Gaps.Sub(NewRanges(r))
	s.Max = max(s.Max, r.End)
	*s = s.Normalize()
}

func (m *gapModel) reopen(r Range) {
	s := &m.state
	s.Gaps = s.Gaps.Union(NewRanges(r).Clip(Range{0, s.Max}))
	*s = s.Normalize()
}

// drawRange draws ranges that are often short, aligned, or many windows long.
func drawRange(t *rapid.T, within int64) Range {
	start := rapid.Int64Range(0, within).Draw(t, "start")
	length := rapid.Int64Range(1, 1<<rapid.IntRange(0, 19).Draw(t, "bits")).Draw(t, "length")
	if rapid.Bool().Draw(t, "aligned") {
		start &^= NativeWindow - 1
	}
	if rapid.Bool().Draw(t, "whole") {
		length += -(start + length) & (NativeWindow - 1)
	}
	return Range{start, start + length}
}

// TestGapSet: whatever is done and reopened, a GapSet says what the plain
// ranges say, and the chunks of its dirty windows keep the topic true.
func TestGapSet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		start := drawState(rt, "start")
		model, set := &gapModel{start}, NewGapSet(start)
		f := &NativeFold{}
		fold(t, f, mustEncode(t, NativeCommit{NativeID: testID, State: start}))
		for range rapid.IntRange(1, 30).Draw(rt, "changes") {
			r := drawRange(rt, model.state.Max+3*NativeWindow)
			switch rapid.IntRange(0, 4).Draw(rt, "change") {
			case 0, 1:
				model.done(r)
				set.Done(r)
			case 2:
				model.reopen(r)
				set.Reopen(r)
			case 3:
				step := rapid.Int64Range(2, 5).Draw(rt, "step")
				for at := r.Start; at < min(r.End, r.Start+3000); at += step {
					model.done(Range{at, at + 1})
					set.Done(Range{at, at + 1})
				}
			case 4:
				records, err := set.Records(testID, NativeStamp{}, set.TakeDirty())
				if err != nil {
					rt.Fatal(err)
				}
				if got := mustRead(t, fold(t, f, records)); !got.State.Equal(model.state) || len(got.Stale) > 0 {
					rt.Fatalf("the topic says %v (stale %v), want %v", got.State, got.Stale, model.state)
				}
			}
			compareGapSet(rt, set, model.state)
		}
	})
}

func compareGapSet(t *rapid.T, set *GapSet, want State) {
	t.Helper()
	if got := set.State(); !got.Equal(want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	if set.Stable() != want.Stable || set.Max() != want.Max || set.Outstanding() != want.Outstanding() {
		t.Fatalf("stable %d max %d outstanding %d, want %v", set.Stable(), set.Max(), set.Outstanding(), want)
	}
	probe := rapid.Int64Range(0, want.Max+1).Draw(t, "probe")
	if set.Completed(probe) != want.Completed(probe) {
		t.Fatalf("offset %d: completed %v", probe, set.Completed(probe))
	}
}

// TestGapSetDirty: taken windows are exactly those whose chunk differs.
func TestGapSetDirty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		start := drawState(rt, "start")
		set := NewGapSet(start)
		if taken := set.TakeDirty(); len(taken) > 0 {
			rt.Fatalf("dirty from the start: %v", taken)
		}
		set.Done(drawRange(rt, start.Max+NativeWindow))
		want := map[int64]bool{}
		diffChunks(newChunker(start.Gaps), newChunker(set.State().Gaps), func(window int64, prev, next windowChunk) {
			if !prev.equal(next) {
				want[window] = true
			}
		})
		taken := set.TakeDirty()
		for _, window := range taken {
			if !want[window] {
				rt.Fatalf("window %d is dirty without a change", window)
			}
		}
		if len(taken) != len(want) {
			rt.Fatalf("dirty %v, want %v", taken, want)
		}
	})
}

// TestGapSetMarkDirty: windows of a failed commit come back, also those that
// are deletions.
func TestGapSetMarkDirty(t *testing.T) {
	set := NewGapSet(State{Stable: 1, Max: 5 * NativeWindow, Gaps: NewRanges(Range{1, 2}, Range{3 * NativeWindow, 3*NativeWindow + 9})})
	set.Done(Range{1, 2})
	set.Done(Range{3*NativeWindow + 1, 3*NativeWindow + 2})
	taken := set.TakeDirty()
	if again := set.TakeDirty(); len(taken) != 2 || len(again) != 0 {
		t.Fatalf("took %v, then %v", taken, again)
	}
	set.MarkDirty(taken...)
	if again := set.TakeDirty(); len(again) != 2 || again[0] != 0 || again[1] != 3 {
		t.Fatalf("took %v after marking %v", again, taken)
	}
}

// TestGapSetHuge: a gap of any length is one node, and cutting it costs no
// more than one more.
func TestGapSetHuge(t *testing.T) {
	set := &GapSet{}
	set.Done(Range{math.MaxInt64 - 1, math.MaxInt64})
	if n := len(set.Windows()); n != 2 {
		t.Fatalf("%d windows for one gap", n)
	}
	for i := range int64(100) {
		set.Done(Range{(2*i + 1) << 40, (2*i+1)<<40 + 1})
	}
	if n := len(set.Windows()); n != 102 {
		t.Fatalf("%d windows for 100 cuts", n)
	}
	if got := set.Outstanding(); got != math.MaxInt64-1-100 {
		t.Fatalf("outstanding %d", got)
	}
	set.Done(Range{0, math.MaxInt64})
	if set.Stable() != math.MaxInt64 || len(set.Windows()) != 0 {
		t.Fatalf("stable %d, windows %v", set.Stable(), set.Windows())
	}
}

// TestGapSetMemory: a million gaps over ten million offsets, read from the
// topic's records, take less than a tenth of 64 MiB.
func TestGapSetMemory(t *testing.T) {
	slot := fold(t, &NativeFold{}, mustEncode(t, NativeCommit{NativeID: testID, State: randomGaps(10_000_000, 0.113, 5)}))
	before := heapInUse()
	set, _, err := slot.GapSet()
	if err != nil {
		t.Fatal(err)
	}
	held := heapInUse() - before
	if held > 6_700_000 || set.Outstanding() < 1_000_000 {
		t.Errorf("%d outstanding take %d bytes", set.Outstanding(), held)
	}
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
