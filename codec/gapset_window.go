package codec

import "slices"

// windowNode is the gaps of one window, and the whole windows that follow:
// what a chunk holds. Few gaps are kept as spans, many as bits.
type windowNode struct {
	window, full int64
	spans        []packed   // when set is nil
	set          *windowSet // or else nil
	ones         int        // offsets in the window
	dirty        bool
}

const (
	// At maxSpans the spans take half of what the bits take. Below minOnes
	// bits are given up; the distance keeps a window from going to and fro.
	maxSpans = 1024
	// A window that changes goes over to bits earlier: they are faster to
	// change, and take 16 bytes a span then, no more than a Range.
	busySpans = 512
	minOnes   = 128
)

// packed is a span in four bytes: lo, and the last offset below hi.
type packed uint32

func pack(s span) packed { return packed(s.lo<<16 | (s.hi - 1)) }

func (p packed) span() span { return span{uint32(p >> 16), uint32(p&0xffff) + 1} }

// newWindowNode is what c says. The node takes its set over.
func newWindowNode(c windowChunk) *windowNode {
	n := &windowNode{window: c.window, full: c.full, set: c.set, ones: c.ones()}
	switch {
	case n.set != nil:
	case len(c.spans) > maxSpans:
		n.set = new(windowSet)
		for _, s := range c.spans {
			n.set.add(s)
		}
	default:
		n.toSpans(c.spans)
	}
	return n
}

func (n *windowNode) toSpans(spans []span) {
	n.set, n.spans = nil, make([]packed, len(spans))
	for i, s := range spans {
		n.spans[i] = pack(s)
	}
}

func (n *windowNode) toBits() {
	n.set = new(windowSet)
	for _, p := range n.spans {
		n.set.add(p.span())
	}
	n.spans = nil
}

func (n *windowNode) end() int64 { return n.window + n.full + 1 }

// outstanding is the number of offsets that n counts.
func (n *windowNode) outstanding() int64 { return int64(n.ones) + n.full<<windowBits }

// chunk is n as a chunk, in scratch's memory.
func (n *windowNode) chunk(scratch []span) windowChunk {
	spans := scratch[:0]
	if n.set != nil {
		spans = n.set.spans(wholeWindow, spans)
	}
	for _, p := range n.spans {
		spans = append(spans, p.span())
	}
	return windowChunk{window: n.window, spans: spans, full: n.full}
}

// first is the lowest offset of the window that is in n.
func (n *windowNode) first() uint32 {
	if n.set != nil {
		return n.set.first()
	}
	return n.spans[0].span().lo
}

// runs is the number of ranges in the window itself.
func (n *windowNode) runs() int {
	if n.set == nil {
		return len(n.spans)
	}
	return n.set.runs()
}

// spansEnd is one past the highest offset of the window that is in n.
func (n *windowNode) spansEnd() uint32 {
	if n.set == nil {
		return n.spans[len(n.spans)-1].span().hi
	}
	return n.set.end()
}

func (n *windowNode) contains(at uint32) bool {
	if n.set != nil {
		return n.set.has(at)
	}
	i := n.search(at)
	return i < len(n.spans) && n.spans[i].span().lo <= at
}

// search is the index of the first span that ends above at. It adds half or,
// by the sign of a difference, nothing: a branch could not be foretold.
func (n *windowNode) search(at uint32) int {
	first, left := 0, len(n.spans)
	for left > 0 {
		half := (left + 1) / 2
		first += half & ((int(n.spans[first+half-1]&0xffff) - int(at)) >> 63)
		left -= half
	}
	return first
}

// remove takes the offsets of r out, and returns how many there were.
func (n *windowNode) remove(r span) (removed int) {
	if n.set != nil {
		removed = n.set.remove(r)
	} else {
		removed = n.removeSpans(r)
	}
	n.ones -= removed
	switch {
	case n.set != nil && n.ones < minOnes:
		n.toSpans(n.set.spans(wholeWindow, nil))
	case n.set == nil && len(n.spans) > busySpans:
		n.toBits()
	}
	return removed
}

func (n *windowNode) removeSpans(r span) (removed int) {
	i := n.search(r.lo)
	j := i
	var keep [2]packed
	kept := keep[:0]
	for ; j < len(n.spans) && n.spans[j].span().lo < r.hi; j++ {
		s := n.spans[j].span()
		removed += int(min(s.hi, r.hi) - max(s.lo, r.lo))
		if s.lo < r.lo {
			kept = append(kept, pack(span{s.lo, r.lo}))
		}
		if s.hi > r.hi {
			kept = append(kept, pack(span{r.hi, s.hi}))
		}
	}
	if removed > 0 {
		n.spans = slices.Replace(n.spans, i, j, kept...)
	}
	return removed
}

// add puts the offsets of r in, and returns how many were not there.
func (n *windowNode) add(r span) (added int) {
	if n.set != nil {
		before := n.ones
		removed := n.set.remove(r)
		n.set.add(r)
		n.ones += int(r.hi-r.lo) - removed
		if n.ones == NativeWindow {
			n.toSpans([]span{wholeWindow})
		}
		return n.ones - before
	}
	all := r // r and the spans that it meets
	i := n.search(r.lo)
	if i > 0 && n.spans[i-1].span().hi == r.lo {
		i--
	}
	added = int(r.hi - r.lo)
	j := i
	for ; j < len(n.spans) && n.spans[j].span().lo <= r.hi; j++ {
		s := n.spans[j].span()
		added -= max(0, int(min(s.hi, r.hi))-int(max(s.lo, r.lo)))
		all = span{min(all.lo, s.lo), max(all.hi, s.hi)}
	}
	if added == 0 {
		return 0
	}
	n.ones += added
	n.spans = slices.Replace(n.spans, i, j, pack(all))
	if len(n.spans) > busySpans {
		n.toBits()
	}
	return added
}
