package codec

// doneBit commits one offset whose window is kept as bits, and stays so: the
// usual case where there are many gaps. It reports whether it was that.
func (g *GapSet) doneBit(offset int64) bool {
	if offset < 0 || offset >= g.max {
		return false
	}
	window := offset >> windowBits
	n := g.list.find(window)
	if n == nil || n.window != window || n.set == nil || n.ones <= minOnes {
		return false
	}
	if at := uint32(offset % NativeWindow); n.set.has(at) {
		n.set[at/64] &^= 1 << (at % 64)
		n.ones--
		g.outstanding--
		g.touch(n)
	}
	return true
}

// remove takes the offsets of r out of the gaps.
func (g *GapSet) remove(r Range) {
	for !r.Empty() {
		window := r.Start >> windowBits
		p, found := g.list.search(window)
		if !found {
			if !g.list.valid(p) {
				return
			}
			r.Start = max(r.Start, g.list.at(p).window<<windowBits)
			continue
		}
		n := g.list.at(p)
		switch {
		case n.window == window:
			r.Start = g.removeAt(p, r)
		case window < n.end():
			g.split(p, window)
		default:
			if !g.list.forward(&p) {
				return
			}
			r.Start = g.list.at(p).window << windowBits
		}
	}
}

// removeAt takes out of the window at p, and of the whole windows that follow
// it, what lies in r, and returns where r goes on.
func (g *GapSet) removeAt(p place, r Range) (next int64) {
	n := g.list.at(p)
	base := n.window << windowBits
	piece := span{uint32(r.Start - base), uint32(min(NativeWindow, r.End-base))}
	next = base + int64(piece.hi)
	removed := n.remove(piece)
	if removed == 0 {
		return next
	}
	g.outstanding -= int64(removed)
	g.touch(n)
	if n.ones > 0 {
		return next
	}
	g.list.remove(p)
	skip := min(n.full, max(0, r.End>>windowBits-n.window-1))
	g.outstanding -= skip << windowBits
	if n.full > skip {
		g.insert(p, wholeChunk(n.window+1+skip, n.full-skip))
	}
	return next + skip<<windowBits
}

// split makes window, which the node at p counts as whole, a node of its own.
func (g *GapSet) split(p place, window int64) {
	n := g.list.at(p)
	rest := n.end() - window - 1
	n.full = window - n.window - 1
	g.touch(n)
	g.insert(p.next(), wholeChunk(window, rest+1))
}

// add puts the offsets of r into the gaps.
func (g *GapSet) add(r Range) {
	for !r.Empty() {
		window := r.Start >> windowBits
		base := window << windowBits
		p, found := g.list.search(window)
		if found {
			if n := g.list.at(p); n.window < window && window < n.end() {
				r.Start = min(r.End, n.end()<<windowBits)
				continue
			}
		}
		if whole := r.End>>windowBits - window; r.Start == base && whole > 0 {
			g.addWhole(window, whole)
			r.Start += whole << windowBits
			continue
		}
		piece := span{uint32(r.Start - base), uint32(min(NativeWindow, r.End-base))}
		r.Start = base + int64(piece.hi)
		g.addPiece(window, piece)
	}
}

// addPiece puts part of a window, which no node counts as whole, into the gaps.
func (g *GapSet) addPiece(window int64, piece span) {
	p, found := g.list.search(window)
	if !found || g.list.at(p).window != window {
		if found {
			p = p.next()
		}
		p = g.insert(p, windowChunk{window: window, spans: []span{piece}})
		g.outstanding += int64(piece.hi - piece.lo)
	} else {
		n := g.list.at(p)
		added := n.add(piece)
		if added == 0 {
			return
		}
		g.outstanding += int64(added)
		g.touch(n)
	}
	g.join(p)
}

// addWhole puts whole windows into the gaps.
func (g *GapSet) addWhole(window, count int64) {
	g.remove(Range{window << windowBits, (window + count) << windowBits})
	p, found := g.list.search(window)
	if found {
		p = p.next()
	}
	p = g.insert(p, wholeChunk(window, count))
	g.outstanding += count << windowBits
	g.join(p)
}

// join restores that no whole window follows another node at once: the node
// before counts it.
func (g *GapSet) join(p place) {
	next := p
	if g.list.forward(&next) {
		g.fuse(p, next)
	}
	before := p
	if g.list.back(&before) {
		g.fuse(before, p)
	}
}

// fuse makes the node at p count the one at next, where it can.
func (g *GapSet) fuse(p, next place) {
	n, m := g.list.at(p), g.list.at(next)
	if n.end() != m.window || m.ones != NativeWindow {
		return
	}
	n.full += 1 + m.full
	g.touch(n)
	g.touch(m)
	g.list.remove(next)
}

// insert makes a node of c at p, before what is there.
func (g *GapSet) insert(p place, c windowChunk) place {
	n := newWindowNode(c)
	n.dirty = true
	g.mark(c.window, false)
	return g.list.insert(p, n)
}

// touch remembers that n changed.
func (g *GapSet) touch(n *windowNode) {
	if !n.dirty {
		n.dirty = true
		g.mark(n.window, true)
	}
}

// mark remembers that a window changed. Whether the topic may have a chunk of
// it is decided by the first change: a window that came and went in between
// needs no tombstone.
func (g *GapSet) mark(window int64, written bool) {
	if g.dirty == nil {
		g.dirty = map[int64]bool{}
	}
	if _, known := g.dirty[window]; !known {
		g.dirty[window] = written
	}
}
