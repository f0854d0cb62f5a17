package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// runLength is the body of RunLengthEncoder: lengths of runs, big-endian, which
// count incomplete and complete offsets in turn. The first, which is of
// incomplete ones, may be zero.
type runLength struct {
	width int // bytes of a length: 2 (v1) or 4 (v2)
}

func (b runLength) read(r *pcReading, body []byte) error {
	runs := body[:len(body)-len(body)%b.width]
	found, at := r.gaps[:0], r.base // at may overflow, and is refused then
	gaps, zeros := 0, 0             // zeros: runs without a length, except the first
	for i := 0; i < len(runs); i += 2 * b.width {
		incomplete, complete := signed(runs[i:], b.width), int64(0)
		if i+b.width < len(runs) {
			if complete = signed(runs[i+b.width:], b.width); complete == 0 {
				zeros++
			}
		}
		switch {
		case incomplete < 0:
			return r.corrupt(r.at+i, "negative run %d", incomplete)
		case complete < 0:
			return r.corrupt(r.at+i+b.width, "negative run %d", complete)
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
	limit := int64(math.MaxInt16)
	if b.width == 4 {
		limit = math.MaxInt32
	}
	runs := 0
	for n := range m.runs() {
		if n > limit {
			return 0, fmt.Errorf("a run of %d offsets, the encoding can hold %d", n, limit)
		}
		runs++
	}
	return runs * b.width, nil
}

func (b runLength) write(dst []byte, m pcMap) []byte {
	for n := range m.runs() {
		if b.width == 2 {
			dst = binary.BigEndian.AppendUint16(dst, uint16(n))
		} else {
			dst = binary.BigEndian.AppendUint32(dst, uint32(n))
		}
	}
	return dst
}
