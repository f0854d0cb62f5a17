package codec

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// slotNews is what has come to a slot since it was absorbed.
type slotNews struct {
	// windows are those whose chunk has changed, with the end of the windows
	// that it spoke of before.
	windows map[int64]int64
	max     int64 // of the head that was absorbed last
}

// Absorb commits in g what s has committed, which is how the slots of one
// partition become one state. Where it is called again for the same slot and
// set, it looks only at what has come since, so that following a live slot
// costs what changes. After an error, which is that of [NativeSlot.Read], g has
// taken nothing from s.
func (g *GapSet) Absorb(s *NativeSlot) error {
	if s.news == nil {
		return g.absorbAll(s)
	}
	if s.head == nil {
		return nativeError(ErrCorrupt, -1, fmt.Sprintf("chunks without a head: %d", len(s.chunks)))
	}
	head, err := parseNativeHead(s.head)
	if err != nil {
		return err
	}
	done, err := s.doneLately(head)
	if err != nil {
		return err
	}
	g.Done(Range{0, head.Stable})
	for _, r := range done {
		g.Done(r)
	}
	clear(s.news.windows)
	s.news.max = max(s.news.max, head.Max)
	return nil
}

func (g *GapSet) absorbAll(s *NativeSlot) error {
	r, err := s.Read()
	if err != nil {
		return err
	}
	at := int64(0)
	for gap := range r.State.Gaps.All() {
		g.Done(Range{at, gap.Start})
		at = gap.End
	}
	g.Done(Range{at, r.State.Max})
	s.news = &slotNews{windows: map[int64]int64{}, max: r.State.Max}
	return nil
}

// note takes note of a chunk that is about to change.
func (n *slotNews) note(window int64, before []byte) {
	n.windows[window] = max(n.windows[window], window+1+fullWindows(before))
}

// fullWindows is how many whole windows a chunk counts; 0 where it is not
// known, since such a chunk was refused.
func fullWindows(value []byte) int64 {
	if len(value) < 2 || value[1]&chunkHasFull == 0 {
		return 0
	}
	full, n := binary.Uvarint(value[2:])
	if n <= 0 || full >= windowLimit {
		return 0
	}
	return int64(full)
}

// doneLately is what is committed at or above the stable offset, in the windows
// that changed and in those that max has come to.
func (s *NativeSlot) doneLately(head NativeHead) (done []Range, err error) {
	counts := head.windows()
	changed := []Range{{s.news.max >> windowBits, counts.End}}
	for from, to := range s.news.windows {
		changed = append(changed, Range{from, to})
	}
	windows := slices.Sorted(maps.Keys(s.chunks))
	var d chunkReader
	for r := range NewRanges(changed...).Clip(counts).All() {
		// To the last offset of the last window, whose end may be beyond any.
		todo := Range{r.Start << windowBits, (r.End<<windowBits - 1)}
		todo = Range{todo.Start, min(todo.End, head.Max-1) + 1}.Clip(Range{head.Stable, head.Max})
		i, exact := slices.BinarySearch(windows, r.Start)
		if !exact && i > 0 {
			i-- // it may count the first window as a whole
		}
		for ; i < len(windows) && windows[i] < r.End; i++ {
			c, err := d.read(windows[i], s.chunks[windows[i]])
			if err != nil {
				return nil, fmt.Errorf("chunk of window %d: %w", windows[i], err)
			}
			for gap := range c.ranges(todo) {
				done = append(done, Range{todo.Start, gap.Start})
				todo.Start = gap.End
			}
		}
		done = append(done, todo)
	}
	return done, nil
}
