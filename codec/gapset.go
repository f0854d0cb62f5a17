package codec

import (
	"iter"
	"math"
)

// GapSet is a [State] that changes: the commit of a live consumer, where
// records are done in any order. Its costs do not grow with the number of
// gaps, ten million gaps take a few bytes each, and a gap of any length takes
// one entry. It knows which windows have changed since they were last taken,
// so that a commit writes only those.
//
// The zero value is the state in which nothing is committed. A GapSet must not
// be copied, and is not safe for concurrent use.
type GapSet struct {
	max         int64
	outstanding int64
	list        windowList
	dirty       map[int64]bool // windows changed; true: may have a chunk already
}

// NewGapSet is s, made canonical, with nothing changed yet.
func NewGapSet(s State) *GapSet {
	if s.Check() != nil {
		s = s.Normalize()
	}
	g := newGapSet(newChunker(s.Gaps))
	g.max = s.Max
	return g
}

// newGapSet has the chunks of k, and as yet no max.
func newGapSet(k *chunker) *GapSet {
	g := &GapSet{}
	for c, ok := k.next(); ok; c, ok = k.next() {
		g.load(c)
	}
	return g
}

// load appends the chunk, which lies after everything in g.
func (g *GapSet) load(c windowChunk) {
	n := newWindowNode(c)
	g.outstanding += n.outstanding()
	g.list.insert(g.list.end(), n)
}

// Stable is the next offset to commit: all below it are committed.
func (g *GapSet) Stable() int64 {
	if p := (place{}); g.list.valid(p) {
		n := g.list.at(p)
		return n.window<<windowBits + int64(n.first())
	}
	return g.max
}

// Max is one past the furthest committed offset.
func (g *GapSet) Max() int64 { return g.max }

// Outstanding is the number of offsets in gaps.
func (g *GapSet) Outstanding() int64 { return g.outstanding }

// Completed reports whether offset is committed.
func (g *GapSet) Completed(offset int64) bool {
	if offset < 0 || offset >= g.max {
		return offset < 0
	}
	window := offset >> windowBits
	n := g.list.find(window)
	if n == nil || n.end() <= window {
		return true
	}
	return n.window == window && !n.contains(uint32(offset&(NativeWindow-1)))
}

// All yields the gaps in ascending order. The set must not change meanwhile.
func (g *GapSet) All() iter.Seq[Range] {
	return func(yield func(Range) bool) {
		c := newGapCursor(g, 0)
		for r, ok := c.next(); ok; r, ok = c.next() {
			if !yield(r) {
				return
			}
		}
	}
}

// State is the state of the moment; it is canonical.
func (g *GapSet) State() State {
	return State{Stable: g.Stable(), Max: g.max, Gaps: collect(newGapCursor(g, 0).next)}
}

// Done commits the offsets of r. Where r starts beyond Max, the offsets
// between become a gap.
func (g *GapSet) Done(r Range) {
	if r.Len() == 1 && g.doneBit(r.Start) {
		return
	}
	r = r.Clip(Range{0, math.MaxInt64})
	if r.Empty() {
		return
	}
	if r.Start > g.max {
		g.add(Range{g.max, r.Start})
	}
	g.remove(r.Clip(Range{0, g.max}))
	g.max = max(g.max, r.End)
}

// Reopen makes the offsets of r outstanding again. Those at or above Max are
// so without it; and where nothing is committed above r any more, Max falls.
func (g *GapSet) Reopen(r Range) {
	r = r.Clip(Range{0, g.max})
	if r.Empty() {
		return
	}
	g.add(r)
	g.settle()
}

// settle lowers max to where the last gap starts, if that reaches max.
func (g *GapSet) settle() {
	if start := g.lastGapStart(); start < g.max {
		g.remove(Range{start, g.max})
		g.max = start
	}
}

// lastGapStart is where the gap that reaches max starts; max when none does.
func (g *GapSet) lastGapStart() int64 {
	start := g.max
	for p := g.list.end(); g.list.back(&p); {
		n := g.list.at(p)
		base := n.window << windowBits
		if n.full > 0 {
			if n.end()<<windowBits != start {
				break
			}
			start = base + NativeWindow
		}
		spans := n.chunk(nil).spans
		last := spans[len(spans)-1]
		if base+int64(last.hi) != start {
			break
		}
		start = base + int64(last.lo)
	}
	return start
}
