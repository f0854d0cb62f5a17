package gapstore

import "time"

// room is whether either partition is to be read no further for now: from when
// the backlog is full until half of it has gone.
func (b *backlog) room() (pauseFresh, pauseRetries bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := func(n int, paused bool) bool { return n >= b.hold || paused && n > b.hold/2 }
	return full(b.fresh+b.failed, b.freshPaused), full(b.retried, b.retriesPaused)
}

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

func timeOf(milliseconds int64) time.Time { return time.UnixMilli(milliseconds) }
