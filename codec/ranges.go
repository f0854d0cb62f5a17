package codec

import (
	"iter"
	"slices"
	"sort"
)

// Ranges is a set of offsets, kept as sorted, disjoint, non-adjacent,
// non-empty half-open ranges. The zero value is the empty set. Ranges is a
// value: no method changes it. Ranges that lie near each other, and very many
// ranges, are kept in fewer bytes.
//
// Offsets are expected to be non-negative, so that [Ranges.Count] can not
// overflow.
type Ranges struct {
	rs     []Range
	near   *nearRanges   // instead of rs
	packed *packedRanges // instead of rs
}

// NewRanges is the union of rs, which may overlap, touch, be empty or come in
// any order. The slice is not retained.
func NewRanges(rs ...Range) Ranges {
	return normalize(slices.Clone(rs))
}

// normalize sorts and joins rs in place and takes it over.
func normalize(rs []Range) Ranges {
	rs = slices.DeleteFunc(rs, Range.Empty)
	if !slices.IsSortedFunc(rs, compareStart) {
		slices.SortFunc(rs, compareStart)
	}
	out := rs[:0]
	for _, r := range rs {
		out = appendJoined(out, r)
	}
	return Ranges{rs: slices.Clip(out)}
}

func compareStart(a, b Range) int {
	switch {
	case a.Start < b.Start:
		return -1
	case a.Start > b.Start:
		return 1
	}
	return 0
}

// appendJoined appends r, whose start is not below that of the last range, and
// joins it to the last range when they overlap or touch. Empty r is dropped.
func appendJoined(rs []Range, r Range) []Range {
	if r.Empty() {
		return rs
	}
	if n := len(rs); n > 0 && r.Start <= rs[n-1].End {
		rs[n-1].End = max(rs[n-1].End, r.End)
		return rs
	}
	return append(rs, r)
}

// Len is the number of ranges (for gaps: the gap count).
func (s Ranges) Len() int {
	switch {
	case s.packed != nil:
		return s.packed.count
	case s.near != nil:
		return len(s.near.spans)
	}
	return len(s.rs)
}

// Empty reports whether s holds no offset.
func (s Ranges) Empty() bool { return len(s.rs) == 0 && s.near == nil && s.packed == nil }

// Count is the number of offsets in s (for gaps: outstanding).
func (s Ranges) Count() int64 {
	switch {
	case s.packed != nil:
		return s.packed.set.outstanding
	case s.near != nil:
		return s.near.count
	}
	var n int64
	for _, r := range s.rs {
		n += r.End - r.Start
	}
	return n
}

// All yields the ranges in ascending order.
func (s Ranges) All() iter.Seq[Range] {
	switch {
	case s.packed != nil:
		return s.packed.set.All()
	case s.near != nil:
		return s.near.all()
	}
	return slices.Values(s.rs)
}

// AppendFirst appends the first n ranges, or all when there are fewer.
func (s Ranges) AppendFirst(dst []Range, n int) []Range {
	switch n = min(n, s.Len()); {
	case s.packed != nil:
		for next := s.cursor(); n > 0; n-- {
			r, _ := next()
			dst = append(dst, r)
		}
		return dst
	case s.near != nil:
		for i := range n {
			dst = append(dst, s.near.at(i))
		}
		return dst
	}
	return append(dst, s.rs[:n]...)
}

// Bounds is the smallest single range that holds all of s; empty when s is.
func (s Ranges) Bounds() Range {
	switch {
	case s.Empty():
		return Range{}
	case s.near != nil:
		return Range{s.near.base, s.near.end}
	}
	return Range{s.First().Start, s.last().End}
}

// First is the lowest range of s; empty when s is.
func (s Ranges) First() Range {
	if s.Empty() {
		return Range{}
	}
	switch {
	case s.packed != nil:
		return s.packed.first()
	case s.near != nil:
		return s.near.at(0)
	}
	return s.rs[0]
}

// last is the highest range of s, which is not empty.
func (s Ranges) last() Range {
	switch {
	case s.packed != nil:
		return s.packed.last()
	case s.near != nil:
		return s.near.at(len(s.near.spans) - 1)
	}
	return s.rs[len(s.rs)-1]
}

// Contains reports whether offset is in s.
func (s Ranges) Contains(offset int64) bool {
	switch {
	case s.packed != nil:
		return s.packed.contains(offset)
	case s.near != nil:
		i := s.near.search(offset)
		return i < len(s.near.spans) && s.near.at(i).Contains(offset)
	}
	i := sort.Search(len(s.rs), func(i int) bool { return s.rs[i].End > offset })
	return i < len(s.rs) && s.rs[i].Contains(offset)
}

// Equal reports whether s and t hold the same offsets.
func (s Ranges) Equal(t Ranges) bool {
	if s.packed != nil || t.packed != nil {
		return equalPacked(s, t)
	}
	return slices.Equal(s.apart().rs, t.apart().rs)
}

// Clip is the part of s that lies in bounds.
func (s Ranges) Clip(bounds Range) Ranges {
	switch b := s.Bounds(); {
	case bounds.Clip(b).Empty():
		return Ranges{}
	case bounds.Start <= b.Start && b.End <= bounds.End:
		return s
	}
	if s.packed != nil {
		return s.packed.clip(bounds)
	}
	s = s.apart()
	lo := sort.Search(len(s.rs), func(i int) bool { return s.rs[i].End > bounds.Start })
	hi := sort.Search(len(s.rs), func(i int) bool { return s.rs[i].Start >= bounds.End })
	if lo >= hi {
		return Ranges{}
	}
	out := slices.Clone(s.rs[lo:hi])
	out[0].Start = max(out[0].Start, bounds.Start)
	out[len(out)-1].End = min(out[len(out)-1].End, bounds.End)
	return Ranges{rs: out}
}
