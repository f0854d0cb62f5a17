package codec

import (
	"fmt"
	"maps"
	"slices"
)

// NativeSlot is the latest records of one slot, kept as bytes: ten million
// gaps fit in a few megabytes.
type NativeSlot struct {
	NativeID
	head   []byte // nil when there is none
	chunks map[int64][]byte

	news *slotNews // nil until a set has absorbed the slot
}

// NativeReading is what the records of one slot say together.
type NativeReading struct {
	Head NativeHead
	// State is within the head's bounds. It need not be canonical.
	State State
	// Stale are the windows, ascending, whose chunks are not those that
	// [EncodeNative] would write for State: chunks that no longer count, that
	// reach beyond the head's bounds, or that are not there although State
	// needs them. A commit must rewrite or delete them.
	Stale []int64
	// Windows are all windows with a chunk, ascending.
	Windows []int64
	// Size is the sum of the value's bytes, head included.
	Size      int
	Anomalies []Anomaly
}

// Read decodes the slot's head and chunks, and checks the one against the
// other. A missing chunk makes outstanding records look committed, so it is an
// error, an [*Error] of class ErrCorrupt, although State is then all that
// could be read, and Anomalies names it "missing-chunk" (or "missing-head").
func (s *NativeSlot) Read() (NativeReading, error) {
	var rs []Range
	var many *GapSet // instead of rs, once there are or seem to be too many
	if s.size() > maxFlat/2 {
		many = &GapSet{}
	}
	read := 0
	r, err := s.read(many != nil, func(r *NativeReading, c windowChunk, odd bool) {
		read += len(s.chunks[c.window])
		switch {
		case many != nil:
			many.take(c, odd, r.bounds())
			return
		case odd || c.full > 0:
			for g := range c.ranges(r.bounds()) {
				rs = appendJoined(rs, g)
			}
		default:
			rs = c.appendTo(foresee(rs, len(c.spans), read, r.Size-read))
		}
		if len(rs) > maxFlat {
			many, rs = newGapSet(&chunker{gaps: rs}), nil
		}
	})
	if r.State.Gaps = (Ranges{rs: slices.Clip(rs)}); many != nil {
		r.State.Gaps = many.freeze().loosen()
	}
	r.staleToo()
	return r, err
}

// size is the sum of the value's bytes.
func (s *NativeSlot) size() int {
	size := len(s.head)
	for _, value := range s.chunks {
		size += len(value)
	}
	return size
}

// staleToo adds the windows that lack a chunk because a stale one speaks of
// them.
func (r *NativeReading) staleToo() {
	if len(r.Stale) == 0 {
		return
	}
	k := newChunker(r.State.Gaps)
	for c, ok := k.next(); ok; c, ok = k.next() {
		if _, found := slices.BinarySearch(r.Windows, c.window); !found {
			r.Stale = append(r.Stale, c.window)
		}
	}
	slices.Sort(r.Stale)
}

// GapSet is what Read gives, as a set that can change; it takes far less
// memory where there are many gaps. State in the reading has no gaps then.
// What is stale is marked as changed.
func (s *NativeSlot) GapSet() (*GapSet, NativeReading, error) {
	g := &GapSet{}
	r, err := s.read(true, func(r *NativeReading, c windowChunk, odd bool) { g.take(c, odd, r.bounds()) })
	g.max = r.Head.Max
	g.settle()
	g.MarkDirty(r.Stale...)
	return g, r, err
}

// take adds what counts of c, which lies after everything in g.
func (g *GapSet) take(c windowChunk, odd bool, bounds Range) {
	if !odd {
		g.load(c)
		return
	}
	for gap := range c.ranges(bounds) {
		g.add(gap)
	}
}

// chunkUse takes a chunk that counts; it is good during the call. An odd one
// reaches beyond the head's bounds, or is cut unlike our own; it has no set.
type chunkUse func(r *NativeReading, c windowChunk, odd bool)

// read decodes the slot and hands its chunks to use, in ascending order; those
// with many gaps as bits, if so said.
func (s *NativeSlot) read(bits bool, use chunkUse) (NativeReading, error) {
	r := NativeReading{Windows: slices.Sorted(maps.Keys(s.chunks)), Size: s.size()}
	if s.head == nil {
		return r, r.lacks("missing-head", fmt.Sprintf("chunks without a head: %d", len(s.chunks)))
	}
	var err error
	if r.Head, err = parseNativeHead(s.head); err != nil {
		return r, err
	}
	r.State.Stable, r.State.Max = r.Head.Stable, r.Head.Max
	return r, r.chunks(chunkReader{bits: bits}, s.chunks, use)
}

func (r *NativeReading) bounds() Range { return Range{r.Head.Stable, r.Head.Max} }

// chunks reads the chunks that count, and checks them against the head.
func (r *NativeReading) chunks(d chunkReader, chunks map[int64][]byte, use chunkUse) error {
	var counted, outstanding int64
	windows := r.Head.windows()
	last := windowChunk{window: -1} // that counts
	for _, window := range r.Windows {
		if !windows.Contains(window) {
			r.stale(window)
			continue
		}
		counted++
		c, err := d.read(window, chunks[window])
		if err != nil {
			return fmt.Errorf("chunk of window %d: %w", window, err)
		}
		if last.end() > window {
			return nativeError(ErrCorrupt, -1, fmt.Sprintf("the chunk of window %d speaks of window %d too", last.window, window))
		}
		odd := !c.within(r.bounds())
		if last.window >= 0 && last.end() == window && c.whole() {
			r.stale(last.window) // it should count this window itself
			odd = true
		}
		if odd {
			r.stale(window)
			c = c.inSpans()
		}
		last = windowChunk{window: c.window, full: c.full}
		outstanding += c.count(r.bounds())
		use(r, c, odd)
	}
	return r.crossCheck(counted, outstanding)
}

// foresee makes room in rs for n more ranges, and for as many as the bytes
// left suggest after those read; these hold four ranges each at most.
func foresee(rs []Range, n, read, left int) []Range {
	if len(rs)+n <= cap(rs) {
		return rs
	}
	more := min(float64(len(rs)+n)*float64(left)/float64(max(1, read))*1.05, 4*float64(left))
	return slices.Grow(rs, n+int(more))
}

func (r *NativeReading) stale(window int64) {
	if n := len(r.Stale); n == 0 || r.Stale[n-1] != window {
		r.Stale = append(r.Stale, window)
	}
}

// crossCheck compares the head with what the chunks hold.
func (r *NativeReading) crossCheck(counted, outstanding int64) error {
	if dead := int64(len(r.Windows)) - counted; dead > 0 {
		r.Anomalies = append(r.Anomalies, Anomaly{"dead-chunk",
			fmt.Sprintf("chunks outside the stable and max offsets, which count for nothing: %d", dead)})
	}
	switch {
	case counted != r.Head.Chunks:
		return r.lacks("missing-chunk", fmt.Sprintf("chunks differ: the head counts %d, there are %d", r.Head.Chunks, counted))
	case outstanding != r.Head.Outstanding:
		return r.lacks("missing-chunk", fmt.Sprintf("outstanding offsets differ: the head counts %d, the chunks hold %d", r.Head.Outstanding, outstanding))
	}
	return nil
}

func (r *NativeReading) lacks(kind, reason string) error {
	r.Anomalies = append(r.Anomalies, Anomaly{kind, reason})
	return nativeError(ErrCorrupt, -1, reason)
}
