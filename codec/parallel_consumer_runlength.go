package codec

import (
	"fmt"
	"slices"
)

// runLength is the body of RunLengthEncoder: lengths of runs, big-endian, which
// count incomplete and complete offsets in turn. The first, which is of
// incomplete ones, may be zero.
type runLength struct {
	width pcWidth // of a length
}

func (b runLength) read(r *pcReading, body []byte) error {
	width := int(b.width)
	runs := body[:len(body)-len(body)%width]
	used, reach := b.readNear(r, runs)
	if used == len(runs) {
		r.noteRuns(body, used, 0)
		return r.describe(reach)
	}
	found, at := r.spread(), r.base+reach // at may overflow, and is refused then
	gaps, zeros := len(found), 0          // zeros: runs without a length, except the first
	for i := used; i < len(runs); i += 2 * width {
		incomplete, complete := b.width.read(runs[i:]), int64(0)
		if i+width < len(runs) {
			if complete = b.width.read(runs[i+width:]); complete == 0 {
				zeros++
			}
		}
		switch {
		case incomplete < 0:
			return r.corrupt(r.at+i, "negative run %d", incomplete)
		case complete < 0:
			return r.corrupt(r.at+i+width, "negative run %d", complete)
		case incomplete > 0:
			if gaps++; gaps <= r.maxGaps {
				found = appendJoined(found, Range{at, at + incomplete})
			}
		case i > 0:
			zeros++
		}
		at += incomplete + complete
	}
	r.noteRuns(body, len(runs), zeros)
	r.gaps = found
	if err := r.describe(at - r.base); err != nil {
		return err
	}
	if gaps > r.maxGaps {
		return r.tooMany(gaps)
	}
	return nil
}

// readNear reads the runs that are as Parallel Consumer writes them: in pairs, none
// without a length, and the incomplete ones within one window. It returns how many
// bytes these are, and how many offsets.
func (b runLength) readNear(r *pcReading, runs []byte) (used int, reach int64) {
	pair := 2 * int(b.width)
	pairs := min(len(runs)/pair, NativeWindow/2)
	spans := slices.Grow(r.near.spans[:0], pairs)[:pairs]
	n, count, reach := b.width.readSpans(spans, runs)
	r.near.spans, r.near.count = spans[:n], count
	return n * pair, reach
}

// readSpans fills spans, as far as readNear can: n of them, in which there are
// count offsets, and reach with those behind them.
func (w pcWidth) readSpans(spans []packed, runs []byte) (n int, count, reach int64) {
	for i := range spans {
		incomplete, complete := w.readTwo(runs[i*2*int(w):])
		end := reach + incomplete
		if incomplete <= 0 || complete <= 0 || end > NativeWindow {
			return i, count, reach
		}
		spans[i] = pack(span{uint32(reach), uint32(end)})
		count, reach = count+incomplete, end+complete
	}
	return len(spans), count, reach
}

func (r *pcReading) noteRuns(body []byte, used, zeros int) {
	if used == 0 {
		r.note("empty-body", "not a single run: taken as no gaps, as Parallel Consumer up to 0.5 does; %s", pcForkRefuses)
	}
	if zeros > 0 {
		r.note("zero-run", "%d runs after the first have no length: what they separate is one range; Parallel Consumer did not write them", zeros)
	}
	if tail := len(body) - used; tail > 0 {
		r.note("odd-tail", "%d bytes follow the last whole run: Parallel Consumer up to 0.5 ignores them; %s", tail, pcForkRefuses)
	}
}

func (b runLength) size(m pcMap) (int, error) {
	limit, runs := b.width.largest(), 0
	for n := range m.runs() {
		if n > limit {
			return 0, fmt.Errorf("a run of %d offsets, the encoding can hold %d", n, limit)
		}
		runs++
	}
	return runs * int(b.width), nil
}

func (b runLength) write(dst []byte, m pcMap) []byte {
	for n := range m.runs() {
		dst = b.width.append(dst, n)
	}
	return dst
}
