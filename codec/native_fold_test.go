package codec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNativeUnion: an offset is committed if any slot committed it.
func TestNativeUnion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &NativeFold{}
		var states []State
		for slot := range uint32(rapid.IntRange(1, 4).Draw(rt, "slots")) {
			s := drawState(rt, "state")
			id := testID
			id.Slot = slot
			fold(t, f, mustEncode(t, NativeCommit{NativeID: id, State: s}))
			states = append(states, s)
		}
		for e := range f.All() {
			union, err := e.State()
			if err != nil || union.Check() != nil || len(e.Slots) != len(states) {
				rt.Fatalf("%v: %v, %v", union, err, union.Check())
			}
			probes := []int64{0, union.Stable, union.Max, union.Max + 1}
			for _, s := range states {
				for r := range s.Gaps.All() {
					probes = append(probes, r.Start, max(0, r.Start-1), r.End)
				}
				probes = append(probes, max(0, s.Max-1))
			}
			for _, at := range probes {
				want := slices.ContainsFunc(states, func(s State) bool { return s.Completed(at) })
				if union.Completed(at) != want {
					rt.Fatalf("offset %d: committed %v, want %v", at, union.Completed(at), want)
				}
			}
		}
	})
}

// TestNativeMissingChunk: the head knows what must be there.
func TestNativeMissingChunk(t *testing.T) {
	s := State{Stable: 1, Max: 5 * NativeWindow, Gaps: NewRanges(Range{1, 3}, Range{2 * NativeWindow, 2*NativeWindow + 2})}
	older := State{Stable: 1, Max: 5 * NativeWindow, Gaps: NewRanges(Range{1, 4}, Range{2 * NativeWindow, 2*NativeWindow + 2})}
	records := mustEncode(t, NativeCommit{NativeID: testID, State: s})
	stale := mustEncode(t, NativeCommit{NativeID: testID, State: older})
	for name, records := range map[string][]Record{
		"the first is missing":  records[1:],
		"the second is missing": {records[0], records[2]},
		"one is out of date":    {stale[0], records[1], records[2]},
		"the head is missing":   records[:2],
	} {
		r, err := fold(t, &NativeFold{}, records).Read()
		var e *Error
		if !errors.As(err, &e) || e.Class != ErrCorrupt || len(r.Anomalies) != 1 || !strings.HasPrefix(r.Anomalies[0].Kind, "missing-") {
			t.Errorf("%s: %v, %v", name, err, r.Anomalies)
		}
		if union, err := brokenEntry(t, records).State(); err == nil || union.Max > 0 {
			t.Errorf("%s: the union relies on it: %v, %v", name, union, err)
		}
	}
}

func brokenEntry(t *testing.T, records []Record) NativeEntry {
	t.Helper()
	return NativeEntry{Slots: []*NativeSlot{fold(t, &NativeFold{}, records)}}
}

// TestNativeStale: chunks that do not count, or say too much, are named, and a
// commit that is told of them leaves none behind.
func TestNativeStale(t *testing.T) {
	wide := State{Stable: 1, Max: 9 * NativeWindow, Gaps: NewRanges(Range{1, 3}, Range{NativeWindow + 5, 6*NativeWindow + 8}, Range{8 * NativeWindow, 8*NativeWindow + 2})}
	narrow := NativeHead{Stable: NativeWindow + 9, Max: 3*NativeWindow + 7, Chunks: 1, Outstanding: 2*NativeWindow - 2}
	f := &NativeFold{}
	records := mustEncode(t, NativeCommit{NativeID: testID, State: wide})
	records[len(records)-1].Value = narrow.append(nil)
	slot := fold(t, f, records)
	r := mustRead(t, slot)
	if !r.State.Gaps.Equal(NewRanges(Range{NativeWindow + 9, 3*NativeWindow + 7})) || !slices.Equal(r.Stale, []int64{0, 1, 3, 6, 8}) {
		t.Fatalf("read %v, stale %v", r.State, r.Stale)
	}
	set, _, err := slot.GapSet()
	if err != nil || !set.State().Equal(r.State.Normalize()) {
		t.Fatalf("as a gap set %v, %v", set.State(), err)
	}
	next := State{Stable: NativeWindow + 9, Max: 9 * NativeWindow, Gaps: r.State.Gaps}
	got := mustRead(t, fold(t, f, mustEncode(t, NativeCommit{NativeID: testID, State: next, Prev: r.State, Stale: r.Stale})))
	if !got.State.Equal(next) || len(got.Stale) > 0 || len(got.Windows) != 2 {
		t.Fatalf("after the commit %v, stale %v", got.State, got.Stale)
	}
}

// TestNativeStaleGapSet: the same by way of a gap set.
func TestNativeStaleGapSet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &NativeFold{}
		records := mustEncode(t, NativeCommit{NativeID: testID, State: drawState(rt, "topic")})
		var head NativeHead
		head.Stable = rapid.Int64Range(0, 1<<20).Draw(rt, "stable")
		head.Max = head.Stable + rapid.Int64Range(0, 1<<20).Draw(rt, "span")
		records[len(records)-1].Value = head.append(nil)
		slot := fold(t, f, records)
		read, _ := slot.Read() // the counts are wrong, the gaps are clipped
		set, _, _ := slot.GapSet()
		if !set.State().Equal(read.State.Normalize()) {
			rt.Fatalf("set %v, read %v", set.State(), read.State.Normalize())
		}
		set.Done(drawRange(rt, head.Max))
		commit, err := set.Records(testID, NativeStamp{}, set.TakeDirty())
		if err != nil {
			rt.Fatal(err)
		}
		if got := mustRead(t, fold(t, f, commit)); !got.State.Equal(set.State()) || len(got.Stale) > 0 {
			rt.Fatalf("the topic says %v (stale %v), want %v", got.State, got.Stale, set.State())
		}
	})
}

// TestNativeDelete: nothing is left.
func TestNativeDelete(t *testing.T) {
	s := State{Stable: 1, Max: 5 * NativeWindow, Gaps: NewRanges(Range{1, 3}, Range{2 * NativeWindow, 2*NativeWindow + 2})}
	f := &NativeFold{}
	r := mustRead(t, fold(t, f, mustEncode(t, NativeCommit{NativeID: testID, State: s})))
	tombstones, err := DeleteNative(testID, r.Windows)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tombstones {
		if err := f.Apply(r.Key, r.Value); err != nil || r.Value != nil {
			t.Fatal(err, r.Value)
		}
	}
	for e := range f.All() {
		t.Errorf("left: %+v", e)
	}
}
