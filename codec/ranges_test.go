package codec

import (
	"encoding/json"
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// universe is how many offsets the model sets hold; small, so that ranges
// overlap and touch often.
const universe = 48

// offsetSet is the plain model of Ranges.
type offsetSet map[int64]bool

func modelOf(rs []Range) offsetSet {
	set := offsetSet{}
	for _, r := range rs {
		for offset := r.Start; offset < r.End; offset++ {
			set[offset] = true
		}
	}
	return set
}

func (m offsetSet) filter(keep func(int64) bool) offsetSet {
	out := maps.Clone(m)
	maps.DeleteFunc(out, func(offset int64, _ bool) bool { return !keep(offset) })
	return out
}

// anyRanges draws ranges in any order, empty and reversed ones included.
func anyRanges() *rapid.Generator[[]Range] {
	one := rapid.Custom(func(t *rapid.T) Range {
		start := rapid.Int64Range(0, universe-1).Draw(t, "start")
		return Range{start, min(universe, start+rapid.Int64Range(-1, 6).Draw(t, "length"))}
	})
	return rapid.SliceOfN(one, 0, 12)
}

// wantSet fails unless got holds exactly the offsets of want, in the one form
// that Ranges promises.
func wantSet(t *rapid.T, op string, got Ranges, want offsetSet) {
	t.Helper()
	rs := got.rs
	for i, r := range rs {
		if r.Empty() || i > 0 && r.Start <= rs[i-1].End {
			t.Fatalf("%s: %v is not sorted, disjoint, apart and non-empty", op, rs)
		}
	}
	if held := modelOf(rs); !maps.Equal(held, want) {
		t.Fatalf("%s: holds %v, want %v", op, held, want)
	}
}

func TestRangesAgainstSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as, bs := anyRanges().Draw(t, "a"), anyRanges().Draw(t, "b")
		a, b, ma, mb := NewRanges(as...), NewRanges(bs...), modelOf(as), modelOf(bs)
		bounds := Range{rapid.Int64Range(-2, universe).Draw(t, "from"), rapid.Int64Range(-2, universe+2).Draw(t, "to")}

		wantSet(t, "NewRanges", a, ma)
		both := maps.Clone(ma)
		maps.Copy(both, mb)
		wantSet(t, "Union", a.Union(b), both)
		wantSet(t, "Sub", a.Sub(b), ma.filter(func(o int64) bool { return !mb[o] }))
		wantSet(t, "Intersect", a.Intersect(b), ma.filter(func(o int64) bool { return mb[o] }))
		wantSet(t, "Clip", a.Clip(bounds), ma.filter(bounds.Contains))
		wantSet(t, "unchanged", a, ma)
		wantSet(t, "unchanged", b, mb)

		for offset := int64(-1); offset <= universe; offset++ {
			if a.Contains(offset) != ma[offset] {
				t.Fatalf("Contains(%d) = %t", offset, a.Contains(offset))
			}
		}
		if a.Count() != int64(len(ma)) || a.Empty() != (len(ma) == 0) {
			t.Fatalf("Count %d, Empty %t, want %d", a.Count(), a.Empty(), len(ma))
		}
		if a.Equal(b) != maps.Equal(ma, mb) {
			t.Fatalf("Equal = %t", a.Equal(b))
		}
		yielded := 0
		for r := range a.All() {
			if !a.Contains(r.Start) || a.Contains(r.End) || !a.Bounds().Contains(r.End-1) || r.Start < a.First().Start {
				t.Fatalf("All yields %v, Bounds %v, First %v", r, a.Bounds(), a.First())
			}
			yielded++
		}
		if yielded != a.Len() {
			t.Fatalf("All yields %d ranges, Len is %d", yielded, a.Len())
		}
	})
}

func TestRangesTextAndJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := NewRanges(anyRanges().Draw(t, "ranges")...)
		parsed, err := ParseRanges(want.String())
		if err != nil || !parsed.Equal(want) {
			t.Fatalf("ParseRanges(%q) = %v, %v", want.String(), parsed, err)
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var back Ranges
		if err := json.Unmarshal(data, &back); err != nil || !back.Equal(want) {
			t.Fatalf("JSON %s reads back as %v, %v", data, back, err)
		}
	})
}

func TestRangesText(t *testing.T) {
	s := NewRanges(Range{9, 10}, Range{3, 6})
	if s.String() != "3-5,9" {
		t.Errorf("String = %q", s.String())
	}
	if data, _ := json.Marshal(Ranges{}); string(data) != "[]" {
		t.Errorf("empty JSON = %s", data)
	}
	if data, _ := json.Marshal(s); string(data) != `[{"start":3,"end":6},{"start":9,"end":10}]` {
		t.Errorf("JSON = %s", data)
	}
	if got, err := ParseRanges(" 9, 3-5 ,4-4"); err != nil || !got.Equal(s) {
		t.Errorf("ParseRanges = %v, %v", got, err)
	}
}

func TestParseRangesRefuses(t *testing.T) {
	for _, text := range []string{",", "1,", "a", "-3", "3-", "5-3", "1-2-3", "+1", "0x1", "1.5", "3 - 5",
		"9223372036854775807", "0-9223372036854775807", "99999999999999999999"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("ParseRanges(%q) = %v, want an error", text, got)
		}
	}
	if got, err := ParseRanges("9223372036854775806"); err != nil || got.Bounds() != (Range{math.MaxInt64 - 1, math.MaxInt64}) {
		t.Errorf("the largest offset: %v, %v", got, err)
	}
}

func TestRangesJSONRefuses(t *testing.T) {
	for _, data := range []string{`[{"start":5,"end":5}]`, `[{"start":5,"end":4}]`, `[{"start":-1,"end":4}]`, `{}`, `[1]`} {
		var s Ranges
		if err := json.Unmarshal([]byte(data), &s); err == nil {
			t.Errorf("%s reads as %v, want an error", data, s)
		}
	}
}

func TestRangesDoNotShareMemory(t *testing.T) {
	source := []Range{{1, 3}, {2, 5}}
	s := NewRanges(source...)
	source[0] = Range{100, 200}
	clipped := s.Clip(Range{2, 4})
	if s.String() != "1-4" || clipped.String() != "2-3" {
		t.Errorf("s %v, clipped %v", s, clipped)
	}
}
