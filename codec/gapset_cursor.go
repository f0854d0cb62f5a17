package codec

// gapCursor gives the gaps of a set one by one.
type gapCursor struct {
	list    *windowList
	at      place
	more    bool
	chunk   windowChunk // of the node before at
	used    int         // spans of the chunk
	scratch []span
	pending Range // may go on in the next window
}

// newGapCursor begins with the window that from lies in, or earlier.
func newGapCursor(g *GapSet, from int64) *gapCursor {
	at, _ := g.list.search(max(0, from) >> windowBits)
	return &gapCursor{list: &g.list, at: at, more: g.list.valid(at)}
}

// next is the next gap; false when there is none.
func (c *gapCursor) next() (Range, bool) {
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
func (c *gapCursor) piece() (Range, bool) {
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
