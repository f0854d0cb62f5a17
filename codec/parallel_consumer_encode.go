package codec

import (
	"encoding/base64"
	"fmt"
	"iter"
)

// pcWriter is a body that can be written.
type pcWriter interface {
	// size is the size of the body of m in bytes; the error says which length
	// does not fit.
	size(m pcMap) (int, error)
	// write appends the body of m, whose size is known to be in bounds.
	write(dst []byte, m pcMap) []byte
}

// pcMap is a state as it is written: the n offsets from base, in positions.
type pcMap struct {
	base, n int64
	gaps    []Range // in offsets
}

func pcMapOf(s State) pcMap {
	return pcMap{base: s.Stable, n: s.Max - s.Stable, gaps: s.Gaps.flat()}
}

// completes yields the ranges of complete positions.
func (m pcMap) completes() iter.Seq[Range] {
	return func(yield func(Range) bool) {
		at := int64(0)
		for _, g := range m.gaps {
			if c := (Range{at, g.Start - m.base}); !c.Empty() && !yield(c) {
				return
			}
			at = g.End - m.base
		}
		if at < m.n {
			yield(Range{at, m.n})
		}
	}
}

// runs yields the lengths of the runs, incomplete and complete in turn; the
// first is zero when position 0 is complete.
func (m pcMap) runs() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		at := int64(0)
		for c := range m.completes() {
			if !yield(c.Start-at) || !yield(c.Len()) {
				return
			}
			at = c.End
		}
		if at < m.n || m.n == 0 {
			yield(m.n - at)
		}
	}
}

func pcEncodings() []Encoding {
	var all []Encoding
	for i := range pcLayouts {
		l := &pcLayouts[i]
		e := Encoding{Name: l.name, Magic: fmt.Sprintf("%c", l.magic)}
		if _, ok := l.body.(pcWriter); ok {
			e.encode = l.encode
		}
		all = append(all, e)
	}
	return append(all, Encoding{Name: "envelope", Magic: string(envelopeMagic)})
}

// encode writes s in this layout. Without gaps the commit alone says it all,
// and Parallel Consumer writes no metadata either.
func (l *pcLayout) encode(s State) (Encoded, error) {
	if s.Gaps.Empty() {
		return Encoded{Committed: s.Stable}, nil
	}
	m := pcMapOf(s)
	size, err := l.size(m)
	if err != nil {
		return Encoded{}, err
	}
	payload, err := l.payload(m, size)
	if err != nil {
		return Encoded{}, err
	}
	return l.encoded(m, payload), nil
}

func (l *pcLayout) encoded(m pcMap, payload []byte) Encoded {
	return Encoded{Committed: m.base, Encoding: l.name, Metadata: base64.StdEncoding.EncodeToString(payload)}
}

// size is the size of the body of m, not compressed, if it can be written.
func (l *pcLayout) size(m pcMap) (int, error) {
	size, err := l.body.(pcWriter).size(m)
	if err != nil {
		return 0, l.tooLarge(0, 0, err.Error())
	}
	if size > pcMaxBody {
		return 0, l.tooLarge(size, pcMaxBody, fmt.Sprintf("needs a body of %d bytes, the limit is %d", size, pcMaxBody))
	}
	return size, nil
}

func (l *pcLayout) tooLarge(need, limit int, reason string) error {
	return &Error{Class: ErrTooLarge, Format: parallelConsumerName, Encoding: l.name, Position: -1, Need: need, Limit: limit, Reason: reason}
}

// payload is the magic byte and the body of m, whose size is given.
func (l *pcLayout) payload(m pcMap, size int) ([]byte, error) {
	w := l.body.(pcWriter)
	if !l.zstd {
		return w.write(append(make([]byte, 0, 1+size), l.magic), m), nil
	}
	payload, err := appendZstd([]byte{l.magic}, w.write(make([]byte, 0, size), m))
	if err != nil {
		return nil, err
	}
	// Never write what decoding refuses.
	if limit := pcMaxGaps(base64.StdEncoding.EncodedLen(len(payload))); len(m.gaps) > limit {
		return nil, l.tooLarge(len(m.gaps), limit, fmt.Sprintf("%d gaps, the limit for a text of this length is %d", len(m.gaps), limit))
	}
	return payload, nil
}

// leastPayload is a lower bound of a payload whose body has the given size.
func (l *pcLayout) leastPayload(size int) int {
	if l.zstd {
		return 1 + zstdFloor(size)
	}
	return 1 + size
}

// smallestParallelConsumer writes s in the smallest layout, and in the first of
// the table where sizes are equal. Parallel Consumer itself considers the
// compressed ones only when none of the others is below 200 bytes; it reads
// all of them, so there is no need to waste room.
func smallestParallelConsumer(s State) (Encoded, error) {
	if s.Gaps.Empty() {
		return Encoded{Committed: s.Stable}, nil
	}
	m := pcMapOf(s)
	var best *pcLayout
	var smallest []byte
	var refused error
	for i := range pcLayouts {
		l := &pcLayouts[i]
		if _, ok := l.body.(pcWriter); !ok {
			continue
		}
		size, err := l.size(m)
		if err == nil && best != nil && l.leastPayload(size) >= len(smallest) {
			continue
		}
		var payload []byte
		if err == nil {
			payload, err = l.payload(m, size)
		}
		switch {
		case err != nil:
			refused = err
		case best == nil || len(payload) < len(smallest):
			best, smallest = l, payload
		}
	}
	if best == nil {
		return Encoded{}, refused
	}
	return best.encoded(m, smallest), nil
}
