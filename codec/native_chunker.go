package codec

import "slices"

// chunker cuts gaps into chunks, in ascending order: those of a slice, and then
// those that are pulled; or it gives the chunks of a list, which are cut already.
type chunker struct {
	gaps []Range
	used int                  // gaps taken into cur
	pull func() (Range, bool) // gives the gaps after those; may be nil
	cur  Range                // what is left of the gap that was taken last

	list *windowList // nil where there are gaps to cut
	at   place       // of the next chunk in list

	chunk, spare windowChunk // the last given out, and memory for the next
}

func newChunker(gaps Ranges) *chunker {
	if gaps.packed != nil {
		return &chunker{list: &gaps.packed.set.list}
	}
	return &chunker{gaps: gaps.apart().rs}
}

// next is the next chunk; ok is false when there is none. The chunk is good
// until the call after the next.
func (k *chunker) next() (c windowChunk, ok bool) {
	k.chunk, k.spare = k.spare, k.chunk
	k.chunk = windowChunk{spans: k.chunk.spans[:0]}
	if k.list != nil {
		return k.nextNode()
	}
	c = k.chunk
	for k.more() {
		window := k.cur.Start >> windowBits
		base := window << windowBits
		if len(c.spans) == 0 {
			c.window = window
		}
		whole := (k.cur.End - base) >> windowBits
		switch {
		case window == c.window:
			piece := span{uint32(k.cur.Start - base), uint32(min(NativeWindow, k.cur.End-base))}
			c.spans = append(c.spans, piece)
			if k.cur.Start = base + int64(piece.hi); k.cur.Empty() {
				c.spans = k.within(base, c.spans)
			}
		case window == c.end() && k.cur.Start == base && whole > 0:
			c.full += whole
			k.cur.Start += whole << windowBits
		default:
			k.chunk = c
			return c, true
		}
	}
	k.chunk = c
	return c, len(c.spans) > 0
}

// nextNode is next where the gaps are cut already.
func (k *chunker) nextNode() (c windowChunk, ok bool) {
	if !k.list.valid(k.at) {
		return k.chunk, false
	}
	k.chunk = k.list.at(k.at).chunk(k.chunk.spans)
	if !k.list.forward(&k.at) {
		k.at = k.list.end()
	}
	return k.chunk, true
}

// within appends the gaps that come next and lie in the window at base as a
// whole: nearly all, where there are many.
func (k *chunker) within(base int64, spans []span) []span {
	gaps := k.gaps[k.used:]
	spans = slices.Grow(spans, min(len(gaps), NativeWindow/2))
	room := spans[len(spans):cap(spans)]
	n := 0
	for n < len(gaps) && n < len(room) && gaps[n].End <= base+NativeWindow {
		room[n] = span{uint32(gaps[n].Start - base), uint32(gaps[n].End - base)}
		n++
	}
	k.used += n
	return spans[:len(spans)+n]
}

// more makes cur the next gap that is not cut yet, if there is one.
func (k *chunker) more() bool {
	switch {
	case !k.cur.Empty():
	case k.used < len(k.gaps):
		k.cur = k.gaps[k.used]
		k.used++
	case k.pull != nil:
		k.cur, _ = k.pull()
	}
	return !k.cur.Empty()
}

// diffChunks calls visit for each window with a chunk in one of prev and next,
// in ascending order; a chunk that is not there has no spans.
func diffChunks(prev, next *chunker, visit func(window int64, prev, next windowChunk)) {
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
