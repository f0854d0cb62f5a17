package codec

import (
	"iter"
	"math"
	"slices"
)

// windowChunk is the content of one chunk: the gaps inside a window, and how
// many of the windows that follow are outstanding as a whole. So a gap takes
// two chunks at most, however long it is.
type windowChunk struct {
	window int64
	spans  []span // sorted, disjoint, non-adjacent, never empty
	full   int64  // whole windows after this one
	// set is the gaps instead, more than maxSpans, from a reader that was asked
	// for bits.
	set *windowSet
}

// end is one past the last window that c speaks of.
func (c windowChunk) end() int64 { return c.window + c.full + 1 }

func (c windowChunk) whole() bool { return c.set == nil && c.spans[0] == wholeWindow }

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
	first, spans := c.spans[0], c.spans[1:]
	rs = appendJoined(rs, Range{base + int64(first.lo), base + int64(first.hi)})
	at := len(rs)
	rs = slices.Grow(rs, len(spans))[:at+len(spans)]
	for i, out := 0, rs[at:]; i < len(spans) && i < len(out); i++ {
		out[i] = Range{base + int64(spans[i].lo), base + int64(spans[i].hi)}
	}
	return rs
}

// within reports whether all of c lies in bounds.
func (c windowChunk) within(bounds Range) bool {
	base := c.window << windowBits
	first, end := c.reach()
	if c.full > 0 {
		return base+int64(first) >= bounds.Start && c.fullEnd() <= bounds.End
	}
	return base+int64(first) >= bounds.Start && base+int64(end) <= bounds.End
}

// reach is the first offset of the gaps in the window, and one past the last.
func (c windowChunk) reach() (first, end uint32) {
	if c.set != nil {
		return c.set.first(), c.set.end()
	}
	return c.spans[0].lo, c.spans[len(c.spans)-1].hi
}

// inSpans is c without a set.
func (c windowChunk) inSpans() windowChunk {
	if c.set != nil {
		c.spans, c.set = c.set.spans(wholeWindow, nil), nil
	}
	return c
}

// count is the number of offsets of c within bounds.
func (c windowChunk) count(bounds Range) (n int64) {
	if !c.within(bounds) {
		for r := range c.ranges(bounds) {
			n += r.Len()
		}
		return n
	}
	return int64(c.ones()) + c.full<<windowBits
}

// ones is the number of offsets in the window itself.
func (c windowChunk) ones() (n int) {
	if c.set != nil {
		return c.set.ones()
	}
	for _, s := range c.spans {
		n += int(s.hi - s.lo)
	}
	return n
}

// anywhere bounds nothing.
var anywhere = Range{0, math.MaxInt64}

// span is a half-open range inside a window: 0 <= lo < hi <= NativeWindow.
type span struct{ lo, hi uint32 }

// wholeWindow is the span of a window that is outstanding as a whole.
var wholeWindow = span{0, NativeWindow}

// wholeChunk is the chunk of count whole windows, 1 at least.
func wholeChunk(window, count int64) windowChunk {
	return windowChunk{window: window, spans: []span{wholeWindow}, full: count - 1}
}
