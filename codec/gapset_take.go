package codec

import "slices"

// TakeDirty is the windows whose chunk has changed since they were last taken,
// ascending, and takes them. When the commit fails, give them back to
// [GapSet.MarkDirty].
func (g *GapSet) TakeDirty() []int64 {
	taken := make([]int64, 0, len(g.dirty))
	for window, written := range g.dirty {
		if n := g.list.exactly(window); n != nil {
			n.dirty = false
		} else if !written {
			continue
		}
		taken = append(taken, window)
	}
	g.dirty = nil
	slices.Sort(taken)
	return taken
}

// MarkDirty makes windows ones that have changed, whether they hold gaps or
// not.
func (g *GapSet) MarkDirty(windows ...int64) {
	for _, window := range windows {
		if n := g.list.exactly(window); n != nil {
			n.dirty = true
		}
		g.mark(window, true)
		g.dirty[window] = true
	}
}

// Windows is every window that takes a chunk, ascending. A set that was not
// read from the topic is written with MarkDirty(Windows()...).
func (g *GapSet) Windows() []int64 {
	windows := make([]int64, 0, g.list.count)
	for n := range g.list.all() {
		windows = append(windows, n.window)
	}
	return windows
}

// Records is the records of a commit of g in the native format, as
// [EncodeNative] gives them: the chunks of windows, which come from
// [GapSet.TakeDirty], and the head.
func (g *GapSet) Records(id NativeID, stamp NativeStamp, windows []int64) ([]Record, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	w := nativeWriter{id: id}
	var scratch []span
	for _, window := range windows {
		n := g.list.exactly(window)
		if n == nil {
			w.drop(window)
			continue
		}
		c := n.chunk(scratch)
		scratch = c.spans
		w.put(c)
	}
	w.head(NativeHead{Stable: g.Stable(), Max: g.max, Outstanding: g.outstanding, Chunks: int64(g.list.count), NativeStamp: stamp})
	return w.records, nil
}
