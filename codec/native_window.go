package codec

import (
	"iter"
	"math"
)

// windowChunk is the content of one chunk: the gaps inside a window, and how
// many of the windows that follow are outstanding as a whole. So a gap takes
// two chunks at most, however long it is.
type windowChunk struct {
	window int64
	spans  []span // sorted, disjoint, non-adjacent, never empty
	full   int64  // whole windows after this one
}

// end is one past the last window that c speaks of.
func (c windowChunk) end() int64 { return c.window + c.full + 1 }

func (c windowChunk) whole() bool { return c.spans[0] == wholeWindow }

// fullEnd is the end of the whole windows that follow, which is one beyond the
// largest offset for the highest window, and so lowered to that.
func (c windowChunk) fullEnd() int64 {
	if c.end() == windowLimit {
		return math.MaxInt64
	}
	return c.end() << windowBits
}

// ranges yields the gaps of c within bounds. They touch where a gap ends with
// the window and whole windows follow.
func (c windowChunk) ranges(bounds Range) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		base := c.window << windowBits
		for _, s := range c.spans {
			r := Range{base + int64(s.lo), base + int64(s.hi)}.Clip(bounds)
			if !r.Empty() && !yield(r) {
				return
			}
		}
		if c.full > 0 {
			if r := (Range{base + NativeWindow, c.fullEnd()}).Clip(bounds); !r.Empty() {
				yield(r)
			}
		}
	}
}

// appendTo appends the gaps of c, which has no whole windows that follow. Only
// the first can touch the last of rs.
func (c windowChunk) appendTo(rs []Range) []Range {
	base := c.window << windowBits
	for i, s := range c.spans {
		r := Range{base + int64(s.lo), base + int64(s.hi)}
		if i == 0 {
			rs = appendJoined(rs, r)
		} else {
			rs = append(rs, r)
		}
	}
	return rs
}

// within reports whether all of c lies in bounds.
func (c windowChunk) within(bounds Range) bool {
	base := c.window << windowBits
	end := base + int64(c.spans[len(c.spans)-1].hi)
	if c.full > 0 {
		end = c.fullEnd()
	}
	return base+int64(c.spans[0].lo) >= bounds.Start && end <= bounds.End
}

// count is the number of offsets of c within bounds.
func (c windowChunk) count(bounds Range) (n int64) {
	if !c.within(bounds) {
		for r := range c.ranges(bounds) {
			n += r.Len()
		}
		return n
	}
	for _, s := range c.spans {
		n += int64(s.hi - s.lo)
	}
	return n + c.full<<windowBits
}

// anywhere bounds nothing.
var anywhere = Range{0, math.MaxInt64}

// span is a half-open range inside a window: 0 <= lo < hi <= NativeWindow.
type span struct{ lo, hi uint32 }

// wholeWindow is the span of a window that is outstanding as a whole.
var wholeWindow = span{0, NativeWindow}
