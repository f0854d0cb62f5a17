package codec

import "slices"

// layout cuts gaps into chunks, in ascending order.
type layout struct {
	gaps []Range
	used int                  // gaps taken into cur
	pull func() (Range, bool) // gives the gaps instead, when not nil
	cur  Range                // what is left of the last of them
	list *windowList          // is cut already, when not nil
	at   place                // in list
	chunk,
	spare windowChunk // the last given out, and memory for the next
}

func newLayout(gaps Ranges) *layout {
	if gaps.packed != nil {
		return &layout{list: &gaps.packed.set.list}
	}
	return &layout{gaps: gaps.apart().rs}
}

// next is the next chunk; ok is false when there is none. The chunk is good
// until the call after the next.
func (l *layout) next() (c windowChunk, ok bool) {
	l.chunk, l.spare = l.spare, l.chunk
	l.chunk = windowChunk{spans: l.chunk.spans[:0]}
	if l.list != nil {
		return l.nextNode()
	}
	c = l.chunk
	for l.more() {
		window := l.cur.Start >> windowBits
		base := window << windowBits
		if len(c.spans) == 0 {
			c.window = window
		}
		whole := (l.cur.End - base) >> windowBits
		switch {
		case window == c.window:
			piece := span{uint32(l.cur.Start - base), uint32(min(NativeWindow, l.cur.End-base))}
			c.spans = append(c.spans, piece)
			if l.cur.Start = base + int64(piece.hi); l.cur.Empty() {
				c.spans = l.within(base, c.spans)
			}
		case window == c.end() && l.cur.Start == base && whole > 0:
			c.full += whole
			l.cur.Start += whole << windowBits
		default:
			l.chunk = c
			return c, true
		}
	}
	l.chunk = c
	return c, len(c.spans) > 0
}

// nextNode is next where the gaps are cut already.
func (l *layout) nextNode() (c windowChunk, ok bool) {
	if !l.list.valid(l.at) {
		return l.chunk, false
	}
	l.chunk = l.list.at(l.at).chunk(l.chunk.spans)
	if !l.list.forward(&l.at) {
		l.at = l.list.end()
	}
	return l.chunk, true
}

// within appends the gaps that come next and lie in the window at base as a
// whole: nearly all, where there are many.
func (l *layout) within(base int64, spans []span) []span {
	gaps := l.gaps[l.used:]
	spans = slices.Grow(spans, min(len(gaps), NativeWindow/2))
	room := spans[len(spans):cap(spans)]
	n := 0
	for n < len(gaps) && n < len(room) && gaps[n].End <= base+NativeWindow {
		room[n] = span{uint32(gaps[n].Start - base), uint32(gaps[n].End - base)}
		n++
	}
	l.used += n
	return spans[:len(spans)+n]
}

// more makes cur the next gap that is not cut yet, if there is one.
func (l *layout) more() bool {
	switch {
	case !l.cur.Empty():
	case l.used < len(l.gaps):
		l.cur = l.gaps[l.used]
		l.used++
	case l.pull != nil:
		l.cur, _ = l.pull()
	}
	return !l.cur.Empty()
}

// diffLayouts calls visit for each window with a chunk in one of prev and next,
// in ascending order; a chunk that is not there has no spans.
func diffLayouts(prev, next *layout, visit func(window int64, prev, next windowChunk)) {
	p, pOK := prev.next()
	n, nOK := next.next()
	for pOK || nOK {
		switch {
		case !nOK || (pOK && p.window < n.window):
			visit(p.window, p, windowChunk{})
			p, pOK = prev.next()
		case !pOK || n.window < p.window:
			visit(n.window, windowChunk{}, n)
			n, nOK = next.next()
		default:
			visit(n.window, p, n)
			p, pOK = prev.next()
			n, nOK = next.next()
		}
	}
}

// equal reports whether c and d say the same of the same window.
func (c windowChunk) equal(d windowChunk) bool {
	return c.window == d.window && c.full == d.full && slices.Equal(c.spans, d.spans)
}
