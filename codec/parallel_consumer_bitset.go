package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// bitSet is the body of BitSetEncoder: the number of offsets, then a bit for
// each, least significant first, 1 when complete; then a spare zero byte,
// because Parallel Consumer allocates one too many.
type bitSet struct {
	width pcWidth // of the length
}

func (b bitSet) read(r *pcReading, body []byte) error {
	n, err := r.readLength(body, b.width)
	if err != nil {
		return err
	}
	set := body[b.width:]
	whole := int((n + 7) / 8)
	known := n
	if len(set) < whole {
		known = int64(len(set)) * 8
		r.note("short-bits", "%d of the %d offsets have no bit: taken as not complete, as Parallel Consumer up to 0.5 does; %s", n-known, n, pcForkRefuses)
	} else {
		r.noteSpare(set, n)
		set = set[:whole]
	}
	return r.readBits(set, known)
}

// readLength reads how many offsets the map describes.
func (r *pcReading) readLength(body []byte, width pcWidth) (int64, error) {
	if len(body) < int(width) {
		return 0, r.corrupt(r.at+len(body), "the length is cut off: %d of %d bytes", len(body), width)
	}
	n := width.read(body)
	if n < 0 {
		return 0, r.corrupt(r.at, "negative length %d", n)
	}
	return n, r.describe(n)
}

// noteSpare notes what stands after the n bits of set, which are all there.
func (r *pcReading) noteSpare(set []byte, n int64) {
	if rest := n % 8; rest != 0 && set[n/8]>>rest != 0 {
		r.note("dirty-padding", "bits beyond the last offset are set: every reader ignores them, but Parallel Consumer did not write them")
	}
	spare := set[(n+7)/8:]
	if len(spare) > 1 || (len(spare) == 1 && spare[0] != 0) {
		r.note("spare-bytes", "%d bytes follow the bits where one zero byte belongs: every reader ignores them, but Parallel Consumer did not write them", len(spare))
	}
}

// readBits turns the first known bits of set into gaps. Offsets above them, up
// to r.n, are not complete.
func (r *pcReading) readBits(set []byte, known int64) error {
	edges, complete := 0, uint64(1)
	for i := int64(0); i < known; i += 64 {
		var e uint64
		e, complete = bitEdges(set, i, known, complete)
		edges += bits.OnesCount64(e)
	}
	gaps := (edges + 1) / 2
	if known < r.n && edges%2 == 0 {
		gaps++
	}
	found, err := r.reserve(gaps)
	if err != nil {
		return err
	}
	start, open := r.base, false
	complete = 1
	for i := int64(0); i < known; i += 64 {
		var e uint64
		for e, complete = bitEdges(set, i, known, complete); e != 0; e &= e - 1 {
			at := r.base + i + int64(bits.TrailingZeros64(e))
			if open {
				found = append(found, Range{start, at})
			}
			start, open = at, !open
		}
	}
	if !open {
		start = r.base + known
	}
	r.gaps = appendJoined(found, Range{start, r.base + r.n})
	return nil
}

// bitEdges has a bit for each of the positions [from,from+64) below n at which
// completeness differs from the position before; complete is that of from-1.
// It also returns the completeness of the last position.
func bitEdges(set []byte, from, n int64, complete uint64) (edges, last uint64) {
	var w uint64
	if rest := set[from/8:]; len(rest) >= 8 {
		w = binary.LittleEndian.Uint64(rest)
	} else {
		for i, b := range rest {
			w |= uint64(b) << (8 * i)
		}
	}
	edges = w ^ (w<<1 | complete)
	if n-from < 64 {
		edges &= 1<<(n-from) - 1
	}
	return edges, w >> 63
}

func (b bitSet) size(m pcMap) (int, error) {
	if limit := b.width.largest(); m.n > limit {
		return 0, fmt.Errorf("%d offsets, the encoding can hold %d", m.n, limit)
	}
	return int(b.width) + int(m.n+7)/8 + 1, nil
}

func (b bitSet) write(dst []byte, m pcMap) []byte {
	dst = b.width.append(dst, m.n)
	start := len(dst)
	dst = append(dst, make([]byte, (m.n+7)/8+1)...)
	for complete := range m.completes() {
		setBits(dst[start:], complete.Start, complete.End)
	}
	return dst
}

// setBits sets the bits [from,to), which is not empty.
func setBits(set []byte, from, to int64) {
	first, last := from/8, (to-1)/8
	head, tail := byte(0xff)<<(from%8), byte(0xff)>>(7-(to-1)%8)
	if first == last {
		set[first] |= head & tail
		return
	}
	set[first] |= head
	for i := first + 1; i < last; i++ {
		set[i] = 0xff
	}
	set[last] |= tail
}
