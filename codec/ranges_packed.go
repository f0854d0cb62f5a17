package codec

import "slices"

// maxFlat is how many ranges are kept one by one, in 16 bytes each, which is the
// fastest to work with. Beyond it they are packed: ten million gaps in a hundred
// million offsets take 13 MB instead of 160, which takes longer to fill than
// the gaps take to decode.
const maxFlat = 1 << 16

// packedRanges is a GapSet that does not change any more.
type packedRanges struct {
	set   *GapSet
	count int // of ranges
}

// freeze takes g over, which must not change afterwards.
func (g *GapSet) freeze() Ranges {
	p := &packedRanges{set: g}
	reach := int64(-1) // end of the node before, where its last range reaches it
	for n := range g.list.all() {
		p.count += n.runs()
		base := n.window << windowBits
		if base == reach && n.first() == 0 {
			p.count--
		}
		last := base + int64(n.last())
		if n.full > 0 {
			if last != base+NativeWindow {
				p.count++
			}
			last = n.chunk(nil).fullEnd()
		}
		reach, g.max = last, last
	}
	return Ranges{packed: p}
}

// loosen is s, not packed if it need not be.
func (s Ranges) loosen() Ranges {
	if s.packed != nil && s.packed.count <= maxFlat {
		return Ranges{rs: s.flat()}
	}
	return s
}

// runs is the number of ranges in the window itself.
func (n *windowNode) runs() int {
	if n.set == nil {
		return len(n.spans)
	}
	return n.set.runs()
}

// last is one past the highest offset of the window that is in n.
func (n *windowNode) last() uint32 {
	if n.set == nil {
		return n.spans[len(n.spans)-1].span().hi
	}
	return n.set.last() + 1
}

func (p *packedRanges) first() Range {
	r, _ := newPackedCursor(p.set, 0).next()
	return r
}

func (p *packedRanges) last() Range { return Range{p.set.lastGapStart(), p.set.max} }

func (p *packedRanges) contains(offset int64) bool {
	return offset >= 0 && offset < p.set.max && !p.set.Completed(offset)
}

func (p *packedRanges) clip(bounds Range) Ranges {
	c := newPackedCursor(p.set, bounds.Start)
	return collect(func() (Range, bool) {
		for {
			r, ok := c.next()
			if !ok || r.Start >= bounds.End {
				return Range{}, false
			}
			if r = r.Clip(bounds); !r.Empty() {
				return r, true
			}
		}
	})
}

// packedCursor gives the gaps of a set one by one.
type packedCursor struct {
	list    *windowList
	at      place
	more    bool
	chunk   windowChunk // of the node before at
	used    int         // spans of the chunk
	scratch []span
	pending Range // may go on in the next window
}

// newPackedCursor begins with the window that from lies in, or earlier.
func newPackedCursor(g *GapSet, from int64) *packedCursor {
	at, _ := g.list.search(max(0, from) >> windowBits)
	return &packedCursor{list: &g.list, at: at, more: g.list.valid(at)}
}

// next is the next gap; false when there is none.
func (c *packedCursor) next() (Range, bool) {
	for {
		r, ok := c.piece()
		if ok && r.Start == c.pending.End && !c.pending.Empty() {
			c.pending.End = r.End
			continue
		}
		done := c.pending
		if c.pending = r; !done.Empty() || !ok {
			return done, !done.Empty()
		}
	}
}

// piece is the next gap as far as it lies in one node; false when none is left.
func (c *packedCursor) piece() (Range, bool) {
	for {
		base := c.chunk.window << windowBits
		if c.used < len(c.chunk.spans) {
			s := c.chunk.spans[c.used]
			c.used++
			return Range{base + int64(s.lo), base + int64(s.hi)}, true
		}
		if c.chunk.full > 0 {
			r := Range{base + NativeWindow, c.chunk.fullEnd()}
			c.chunk.full = 0
			return r, true
		}
		if !c.more {
			return Range{}, false
		}
		n := c.list.at(c.at)
		c.chunk, c.used = n.chunk(c.scratch), 0
		c.scratch = c.chunk.spans
		c.more = c.list.forward(&c.at)
	}
}

// cursor gives the ranges of s one by one.
func (s Ranges) cursor() func() (Range, bool) {
	if s.packed != nil {
		return newPackedCursor(s.packed.set, 0).next
	}
	s = s.apart()
	i := 0
	return func() (Range, bool) {
		if i == len(s.rs) {
			return Range{}, false
		}
		i++
		return s.rs[i-1], true
	}
}

// flat is the ranges one by one.
func (s Ranges) flat() []Range {
	if s.packed != nil {
		return slices.Collect(s.All())
	}
	return s.apart().rs
}

// collect is the ranges that next gives, which are ascending and do not touch.
func collect(next func() (Range, bool)) Ranges {
	var rs []Range
	for len(rs) <= maxFlat {
		r, ok := next()
		if !ok {
			return Ranges{rs: slices.Clip(rs)}
		}
		rs = append(rs, r)
	}
	return newGapSet(&layout{gaps: rs, pull: next}).freeze()
}

func equalPacked(s, t Ranges) bool {
	if s.Len() != t.Len() || s.Count() != t.Count() {
		return false
	}
	nextS, nextT := s.cursor(), t.cursor()
	for {
		a, ok := nextS()
		if b, _ := nextT(); a != b {
			return false
		}
		if !ok {
			return true
		}
	}
}

// sweep is the offsets for which keep says so, given whether they are in s
// and in t. What is in neither is not kept.
func sweep(s, t Ranges, keep func(inS, inT bool) bool) Ranges {
	nextS, nextT := s.cursor(), t.cursor()
	a, okA := nextS()
	b, okB := nextT()
	var pending Range
	// piece is the next stretch in which nothing changes.
	piece := func() (r Range, kept bool) {
		switch {
		case !okB || okA && a.End <= b.Start:
			r, kept = a, keep(true, false)
		case !okA || b.End <= a.Start:
			r, kept = b, keep(false, true)
		case a.Start < b.Start:
			r, kept = Range{a.Start, b.Start}, keep(true, false)
		case b.Start < a.Start:
			r, kept = Range{b.Start, a.Start}, keep(false, true)
		default:
			r, kept = Range{a.Start, min(a.End, b.End)}, keep(true, true)
		}
		if okA && a.Start < r.End {
			if a.Start = r.End; a.Empty() {
				a, okA = nextS()
			}
		}
		if okB && b.Start < r.End {
			if b.Start = r.End; b.Empty() {
				b, okB = nextT()
			}
		}
		return r, kept
	}
	return collect(func() (Range, bool) {
		for okA || okB {
			r, kept := piece()
			switch {
			case !kept:
			case pending.Empty():
				pending = r
			case r.Start == pending.End:
				pending.End = r.End
			default:
				done := pending
				pending = r
				return done, true
			}
		}
		done := pending
		pending = Range{}
		return done, !done.Empty()
	})
}
