package gapstore

// pile is a heap of records: the least is the first. See container/heap.
type pile struct {
	items []*held
	less  func(a, b *held) bool
}

func (p *pile) Len() int           { return len(p.items) }
func (p *pile) Less(i, j int) bool { return p.less(p.items[i], p.items[j]) }
func (p *pile) Swap(i, j int)      { p.items[i], p.items[j] = p.items[j], p.items[i] }
func (p *pile) Push(h any)         { p.items = append(p.items, h.(*held)) }
func (p *pile) Pop() any {
	last := len(p.items) - 1
	h := p.items[last]
	p.items[last] = nil
	p.items = p.items[:last]
	return h
}
