package codec

import (
	"iter"
	"slices"
)

// windowList is the windows with gaps in ascending order, in blocks of a few
// hundred, so that neither a look-up nor an insertion grows with their number
// to speak of.
type windowList struct {
	first  []int64 // the first window of each block
	blocks []*windowBlock
	count  int
}

type windowBlock struct {
	windows []int64 // those of nodes, close together for the search
	nodes   []*windowNode
}

const maxBlock = 256

// place is where a node is, or would go: before the node that is there. A
// place is good until the list changes.
type place struct{ block, index int }

// next is where a node goes that follows the one at p.
func (p place) next() place { return place{p.block, p.index + 1} }

// end is the place behind the last node.
func (l *windowList) end() place {
	if len(l.blocks) == 0 {
		return place{}
	}
	last := len(l.blocks) - 1
	return place{last, len(l.blocks[last].nodes)}
}

// valid reports whether there is a node at p.
func (l *windowList) valid(p place) bool {
	return p.block < len(l.blocks) && p.index < len(l.blocks[p.block].nodes)
}

func (l *windowList) at(p place) *windowNode { return l.blocks[p.block].nodes[p.index] }

// forward moves p, which holds a node, to the node after it, if any.
func (l *windowList) forward(p *place) bool {
	next := p.next()
	if next.index == len(l.blocks[p.block].nodes) {
		next = place{p.block + 1, 0}
	}
	if !l.valid(next) {
		return false
	}
	*p = next
	return true
}

// back moves p to the node before it, if any.
func (l *windowList) back(p *place) bool {
	switch {
	case p.index > 0:
		p.index--
	case p.block > 0:
		p.block--
		p.index = len(l.blocks[p.block].nodes) - 1
	default:
		return false
	}
	return true
}

// search is the place of the last node whose window is not above window. When
// there is none, found is false and the place is that of the first node.
func (l *windowList) search(window int64) (p place, found bool) {
	block := above(l.first, window) - 1
	if block < 0 {
		return place{}, false
	}
	return place{block, above(l.blocks[block].windows, window) - 1}, true
}

// above is the index of the first of sorted that is above v; both are windows.
// Where there are many gaps they mostly follow one another, so that is tried
// first. Then it adds half or, by the sign of a difference, nothing: a branch
// could not be foretold.
func above(sorted []int64, v int64) int {
	first, left := 0, len(sorted)
	if left > 0 {
		if guess := v - sorted[0]; guess >= 0 && guess < int64(left) && sorted[guess] == v {
			return int(guess) + 1
		}
	}
	for left > 0 {
		half := (left + 1) / 2
		first += half & int((sorted[first+half-1]-v-1)>>63)
		left -= half
	}
	return first
}

// find is the last node whose window is not above window, or nil.
func (l *windowList) find(window int64) *windowNode {
	if p, found := l.search(window); found {
		return l.at(p)
	}
	return nil
}

// exactly is the node of window, or nil.
func (l *windowList) exactly(window int64) *windowNode {
	if n := l.find(window); n != nil && n.window == window {
		return n
	}
	return nil
}

// insert puts n before the node at p and returns its place.
func (l *windowList) insert(p place, n *windowNode) place {
	l.count++
	if len(l.blocks) == 0 {
		l.blocks = []*windowBlock{{}}
		l.first = []int64{n.window}
	}
	if p.block == len(l.blocks) {
		p = l.end()
	}
	if len(l.blocks[p.block].nodes) == maxBlock {
		p = l.halve(p)
	}
	b := l.blocks[p.block]
	b.windows = slices.Insert(b.windows, p.index, n.window)
	b.nodes = slices.Insert(b.nodes, p.index, n)
	l.first[p.block] = b.windows[0]
	return p
}

// halve makes two blocks of the full one at p, and returns where p is then.
// What is appended leaves full blocks behind.
func (l *windowList) halve(p place) place {
	b, cut := l.blocks[p.block], maxBlock/2
	if p.block == len(l.blocks)-1 && p.index == maxBlock {
		cut = maxBlock
	}
	rest := &windowBlock{slices.Clone(b.windows[cut:]), slices.Clone(b.nodes[cut:])}
	clear(b.nodes[cut:])
	b.windows, b.nodes = b.windows[:cut], b.nodes[:cut]
	l.blocks = slices.Insert(l.blocks, p.block+1, rest)
	l.first = slices.Insert(l.first, p.block+1, 0)
	if len(rest.windows) > 0 {
		l.first[p.block+1] = rest.windows[0]
	}
	if p.index >= cut {
		return place{p.block + 1, p.index - cut}
	}
	return p
}

// remove takes the node at p out. The place is then that of the node after it,
// or of an insertion.
func (l *windowList) remove(p place) {
	l.count--
	b := l.blocks[p.block]
	b.windows = slices.Delete(b.windows, p.index, p.index+1)
	b.nodes = slices.Delete(b.nodes, p.index, p.index+1)
	switch {
	case len(b.nodes) > 0:
		l.first[p.block] = b.windows[0]
	case len(l.blocks) > 1:
		l.blocks = slices.Delete(l.blocks, p.block, p.block+1)
		l.first = slices.Delete(l.first, p.block, p.block+1)
	default:
		l.blocks, l.first = nil, nil
	}
}

// all yields the nodes in ascending order.
func (l *windowList) all() iter.Seq[*windowNode] {
	return func(yield func(*windowNode) bool) {
		for _, b := range l.blocks {
			for _, n := range b.nodes {
				if !yield(n) {
					return
				}
			}
		}
	}
}
