package codec

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// packRanges is s, packed however few ranges it has.
func packRanges(s Ranges) Ranges {
	if s.Empty() {
		return s
	}
	return newGapSet(newChunker(s)).freeze()
}

// drawRanges draws ranges that are close together, far apart, or longer than a
// window, near the borders of windows.
func drawRanges(t *rapid.T, name string) Ranges {
	var rs []Range
	for range rapid.IntRange(0, 12).Draw(t, name) {
		base := rapid.Int64Range(0, 4).Draw(t, "window") * NativeWindow
		start := max(0, base+rapid.Int64Range(-40, 40).Draw(t, "offset"))
		length := rapid.OneOf(rapid.Int64Range(1, 30), rapid.Int64Range(NativeWindow-40, NativeWindow+40),
			rapid.Just(int64(3*NativeWindow))).Draw(t, "length")
		rs = append(rs, Range{start, start + length})
	}
	return NewRanges(rs...)
}

// drawNear draws ranges most of which lie within a few offsets, across the
// border of a window.
func drawNear(t *rapid.T, name string) Ranges {
	var rs []Range
	for _, at := range rapid.SliceOfN(rapid.Int64Range(NativeWindow-60, NativeWindow+60), 0, 60).Draw(t, name) {
		rs = append(rs, Range{at, at + 1})
	}
	if rapid.IntRange(0, 3).Draw(t, "far") == 0 {
		rs = append(rs, Range{2*NativeWindow - 50 + rapid.Int64Range(0, 100).Draw(t, "at"), 2*NativeWindow + 60})
	}
	return NewRanges(rs...)
}

// What packed and near ranges say is what flat ones say, whatever is done with
// them.
func TestRangesAreAlikeHoweverKept(t *testing.T) {
	keepNear := func(s Ranges) Ranges { return keepRanges(s.flat(), new(spanRoom)) }
	if near := keepNear(randomGaps(1000, 0.1, 1).Gaps); near.near == nil {
		t.Fatal("ranges are not kept near")
	}
	t.Run("packed", func(t *testing.T) { testAlike(t, drawRanges, packRanges) })
	t.Run("near", func(t *testing.T) { testAlike(t, drawNear, keepNear) })
}

// Ranges that share a room do not change each other.
func TestRangesShareRoom(t *testing.T) {
	var room spanRoom
	var kept, want []Ranges
	for i := range uint64(200) {
		s := randomGaps(int64(20*i), 0.2, i).Gaps
		kept, want = append(kept, keepRanges(s.flat(), &room)), append(want, s)
	}
	for i := range kept {
		if !kept[i].Equal(want[i]) {
			t.Fatalf("%v, want %v", kept[i], want[i])
		}
		if near := kept[i].near; near != nil && cap(near.spans) != len(near.spans) {
			t.Fatalf("room for %d, taken %d", cap(near.spans), len(near.spans))
		}
	}
}

func testAlike(t *testing.T, draw func(*rapid.T, string) Ranges, keep func(Ranges) Ranges) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		bounds := Range{rapid.Int64Range(0, 4*NativeWindow).Draw(t, "start"), rapid.Int64Range(0, 6*NativeWindow).Draw(t, "end")}
		if rapid.Bool().Draw(t, "narrow") {
			bounds = Range{NativeWindow + bounds.Start%60 - 30, NativeWindow + bounds.End%60 - 20}
		}
		p := keep(a)
		same := func(what string, got, want Ranges) {
			t.Helper()
			if !got.Equal(want) || !want.Equal(got) || got.String() != want.String() || got.Len() != want.Len() ||
				got.Count() != want.Count() || got.First() != want.First() || got.Bounds() != want.Bounds() {
				t.Fatalf("%s: %d %s %v, want %d %s %v", what, got.Len(), got, got.Bounds(), want.Len(), want, want.Bounds())
			}
		}
		same("all", p, a)
		same("clip", p.Clip(bounds), a.Clip(bounds))
		for name, q := range map[string]Ranges{"flat": b, "packed": packRanges(b), "near": keepRanges(b.flat(), new(spanRoom))} {
			same("union with "+name, p.Union(q), a.Union(b))
			same("intersection with "+name, p.Intersect(q), a.Intersect(b))
			same("difference with "+name, p.Sub(q), a.Sub(b))
			same("difference from "+name, q.Sub(p), b.Sub(a))
			if p.Equal(q) != a.Equal(b) {
				t.Fatalf("equal to %s: %v", name, p.Equal(q))
			}
		}
		for _, at := range []int64{bounds.Start, bounds.End, a.First().Start, a.Bounds().End, -1} {
			if p.Contains(at) != a.Contains(at) {
				t.Fatalf("contains %d: %v", at, p.Contains(at))
			}
		}
		for _, n := range []int{0, 1, 7, a.Len() + 1} {
			if got, want := p.AppendFirst(nil, n), a.flat()[:min(n, a.Len())]; !slices.Equal(got, want) {
				t.Fatalf("first %d: %v, want %v", n, got, want)
			}
		}
		if got, want := string(p.AppendJSON(nil)), string(a.AppendJSON(nil)); got != want {
			t.Fatalf("JSON %s, want %s", got, want)
		}
		state := State{Stable: a.Bounds().Start, Max: a.Bounds().End + 1, Gaps: a}
		if got, want := (State{state.Stable, state.Max, p, nil}).Normalize(), state.Normalize(); !got.Equal(want) {
			t.Fatalf("normalized %v, want %v", got, want)
		}
		if got := NewGapSet(State{state.Stable, state.Max, p, nil}).State(); !got.Equal(state) && !a.Empty() {
			t.Fatalf("gap set %v, want %v", got, state)
		}
	})
}

// A slot with many gaps is read packed, and says the same.
func TestManyGapsArePacked(t *testing.T) {
	s := randomGaps(6_000_000, 0.3, 5)
	slot := fold(t, &NativeFold{}, mustEncode(t, NativeCommit{NativeID: testID, State: s}))
	r := mustRead(t, slot)
	if r.State.Gaps.packed == nil || s.Gaps.packed != nil {
		t.Fatal("nothing to compare")
	}
	if !r.State.Equal(s) || r.State.Check() != nil {
		t.Errorf("%d gaps, want %d", r.State.Gaps.Len(), s.Gaps.Len())
	}
	again := mustEncode(t, NativeCommit{NativeID: testID, State: r.State, Prev: s})
	if len(again) != 1 {
		t.Errorf("%d records change, want the head alone", len(again))
	}
}

// Few bytes can hold many gaps too.
func TestManyGapsInFewBytesArePacked(t *testing.T) {
	var rs []Range
	for at := int64(0); at < 4*maxFlat; at += 2 {
		rs = append(rs, Range{at, at + 1})
	}
	s := State{Max: 4 * maxFlat, Gaps: NewRanges(rs...)}.Normalize()
	slot := fold(t, &NativeFold{}, mustEncode(t, NativeCommit{NativeID: testID, State: s}))
	if slot.size() > maxFlat/2 {
		t.Fatal("many bytes")
	}
	if r := mustRead(t, slot); r.State.Gaps.packed == nil || !r.State.Equal(s) || len(r.Stale) > 0 {
		t.Errorf("%d gaps, want %d", r.State.Gaps.Len(), s.Gaps.Len())
	}
}
