package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// riceReader turns codes into spans or bits, without a list of numbers in
// between. A code that is not valid counts as one that leads beyond the frame,
// and so do the zeros behind the codes: that ends each loop, and ok is then
// false. Its memory is kept from one body to the next; so spans are good until
// the next is read.
type riceReader struct {
	padded []byte // the codes and ricePadding zeros
	limit  uint   // in bits
	out    []span
}

// ricePadding is so long that two codes can be read, eight bytes at a time,
// that begin before the limit.
const ricePadding = 16

// riceAtHand is how many of the bits that riceReader.at gives can be used up
// and leave a whole code.
const riceAtHand = 57 - 32

// riceInvalid leads beyond any frame.
const riceInvalid = 2 * NativeWindow

// reset begins with the codes of a frame. It keeps the reader's memory.
func (r *riceReader) reset(codes []byte, frame span) {
	r.resetCodes(codes)
	// A span takes two bits, and an offset beside it that is not in the set.
	most := min(r.limit, uint(frame.hi-frame.lo))/2 + 2
	r.out = slices.Grow(r.out[:0], int(most))[:most]
}

// resetCodes is reset where no spans are to be read.
func (r *riceReader) resetCodes(codes []byte) {
	r.padded = append(append(r.padded[:0], codes...), make([]byte, ricePadding)...)
	r.limit = uint(len(codes)) * 8
}

// at is the bits from pos on, 57 at least.
func (r *riceReader) at(pos uint) uint64 {
	return binary.LittleEndian.Uint64(r.padded[pos>>3:]) >> (pos & 7)
}

// ended reports whether the codes end at pos, but for zeros to fill the byte.
func (r *riceReader) ended(pos uint) bool {
	return pos <= r.limit && r.limit-pos < 8 && (pos == r.limit || r.at(pos)&0xff == 0)
}

// riceNext is the number whose code of parameter k is at the low end of x, and
// the code's size in bits; mask is 1<<k - 1. Shifts are masked to spare the
// check for long ones.
func riceNext(x uint64, k uint, mask uint32) (v uint32, size uint) {
	q := uint(bits.TrailingZeros64(x | 1<<riceEscape))
	v, size = uint32(q)<<(k&31)|uint32(x>>((q+1)&63))&mask, q+1+k
	if q == riceEscape {
		v, size = riceEscaped(x, k), riceEscape+16
	}
	return v, size
}

// riceEscaped is the number of 16 bits behind the zeros at the low end of x.
func riceEscaped(x uint64, k uint) uint32 {
	v := uint32(x>>riceEscape) & 0xffff
	if v>>k < riceEscape {
		return riceInvalid // it has a shorter code
	}
	return v
}

// offsets reads the body of containerOffsets.
func (r *riceReader) offsets(frame span, k uint) (spans []span, ok bool) {
	out, pos, mask := r.out, uint(0), uint32(1)<<k-1
	n, s := 0, span{frame.lo, frame.lo + 1}
	for {
		x := r.at(pos)
		for last := pos + riceAtHand; pos <= last; {
			if n >= len(out) {
				return nil, false
			}
			v, size := riceNext(x, k, mask)
			pos += size
			x >>= size & 63
			next := s.hi + v
			out[n] = s // for good when the next offset does not follow at once
			if next >= frame.hi {
				return out[:n+1], next == frame.hi && r.ended(pos)
			}
			if v > 0 {
				s.lo = next
				n++
			}
			s.hi = next + 1
		}
	}
}

// holes reads the body of containerHoles.
func (r *riceReader) holes(frame span, k uint) (spans []span, ok bool) {
	out, pos, mask := r.out, uint(0), uint32(1)<<k-1
	n, s := 0, span{frame.lo, frame.lo + 1}
	for {
		x := r.at(pos)
		for last := pos + riceAtHand; pos <= last; {
			if n >= len(out) {
				return nil, false
			}
			v, size := riceNext(x, k, mask)
			pos += size
			x >>= size & 63
			s.hi += v // the next hole
			out[n] = s
			if s.lo < s.hi {
				n++
			}
			if s.hi >= frame.hi {
				return out[:n], s.hi == frame.hi && r.ended(pos)
			}
			s = span{s.hi + 1, s.hi + 1}
		}
	}
}

// runs reads the body of containerRuns.
func (r *riceReader) runs(frame span, gapK, doneK uint) (spans []span, ok bool) {
	out, pos, gapMask, doneMask := r.out, uint(0), uint32(1)<<gapK-1, uint32(1)<<doneK-1
	at := frame.lo
	for n := range out {
		x := r.at(pos)
		v, size := riceNext(x, gapK, gapMask)
		pos += size
		end := at + v + 1
		out[n] = span{at, end}
		if end >= frame.hi {
			return out[:n+1], end == frame.hi && r.ended(pos)
		}
		if x >>= size & 63; size > riceAtHand {
			x = r.at(pos)
		}
		v, size = riceNext(x, doneK, doneMask)
		pos += size
		at = end + v + 1
		if at >= frame.hi {
			return out[:n+1], at == frame.hi && r.ended(pos)
		}
	}
	return nil, false
}

// toggle reads the codes of any container, and toggles in set each offset
// where one leads to: each offset of containerOffsets but the first, each hole
// of containerHoles, the borders of the runs of containerRuns.
func (r *riceReader) toggle(set *windowSet, frame span, k, kOdd uint) (ok bool) {
	at, pos, mask, maskOdd := frame.lo, uint(0), uint32(1)<<k-1, uint32(1)<<kOdd-1
	for {
		x := r.at(pos)
		v, size := riceNext(x, k, mask)
		pos += size
		if at += v + 1; at >= frame.hi {
			break
		}
		set[at/64%windowWords] ^= 1 << (at % 64)
		if x >>= size & 63; size > riceAtHand {
			x = r.at(pos)
		}
		v, size = riceNext(x, kOdd, maskOdd)
		pos += size
		if at += v + 1; at >= frame.hi {
			break
		}
		set[at/64%windowWords] ^= 1 << (at % 64)
	}
	return at == frame.hi && r.ended(pos)
}
