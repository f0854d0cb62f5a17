package codec

import (
	"iter"
	"sort"
)

// nearRanges are ranges of one stretch of 65,536 offsets, in four bytes each:
// those of a commit's metadata mostly are. Of 30,000 commits, it is the filling
// of fresh memory that costs more than anything else.
type nearRanges struct {
	base, end int64 // the first start, and the last end
	count     int64 // of offsets
	spans     []packed
}

// leastNear is how many ranges take less memory near than one by one.
const leastNear = 6

// spanRoom is memory for spans, of which pieces are handed out: a piece of its own
// for each of 30,000 commits takes longer to get. What is left of the ranges keeps
// the whole of their room in memory, so it is small.
type spanRoom []packed

// spanRoomLen is how many spans there is room for: 4 KiB of them.
const spanRoomLen = 1024

// take is room for n spans. What would waste much of a room gets one of its own.
func (m *spanRoom) take(n int) []packed {
	if n > spanRoomLen/8 {
		return make([]packed, n)
	}
	if len(*m) < n {
		*m = make([]packed, spanRoomLen)
	}
	taken := (*m)[:n:n]
	*m = (*m)[n:]
	return taken
}

// keepRanges copies rs, which are sorted, disjoint, not adjacent and not empty.
func keepRanges(rs []Range, room *spanRoom) Ranges {
	if len(rs) == 0 {
		return Ranges{}
	}
	base, end := rs[0].Start, rs[len(rs)-1].End
	if len(rs) < leastNear || end-base > NativeWindow {
		return Ranges{rs: append(make([]Range, 0, len(rs)), rs...)}
	}
	count, spans := int64(0), room.take(len(rs))
	for i, r := range rs {
		spans[i] = pack(span{uint32(r.Start - base), uint32(r.End - base)})
		count += r.End - r.Start
	}
	return Ranges{near: &nearRanges{base, end, count, spans}}
}

// keep copies n, which is not empty.
func (n *nearRanges) keep(room *spanRoom) Ranges {
	if len(n.spans) < leastNear {
		return Ranges{rs: n.appendTo(make([]Range, 0, len(n.spans)))}
	}
	kept := *n
	kept.spans = room.take(len(n.spans))
	copy(kept.spans, n.spans)
	return Ranges{near: &kept}
}

// appendTo appends the ranges one by one.
func (n *nearRanges) appendTo(rs []Range) []Range {
	for i := range n.spans {
		rs = append(rs, n.at(i))
	}
	return rs
}

func (n *nearRanges) at(i int) Range {
	s := n.spans[i].span()
	return Range{n.base + int64(s.lo), n.base + int64(s.hi)}
}

func (n *nearRanges) all() iter.Seq[Range] {
	return func(yield func(Range) bool) {
		for i := range n.spans {
			if !yield(n.at(i)) {
				return
			}
		}
	}
}

// search is the index of the first range that ends after offset.
func (n *nearRanges) search(offset int64) int {
	return sort.Search(len(n.spans), func(i int) bool { return n.at(i).End > offset })
}

// apart is s with its ranges one by one, unless they are packed.
func (s Ranges) apart() Ranges {
	if s.near == nil {
		return s
	}
	return Ranges{rs: s.near.appendTo(make([]Range, 0, len(s.near.spans)))}
}
