package codec

import (
	"encoding/binary"
	"slices"
)

// Rice codes of parameter k: a number v is v>>k zeros, a one, and the low k
// bits of v. Where that would take riceEscape zeros or more, it is exactly
// riceEscape zeros and v in 16 bits, so one far outlier costs 32 bits whatever
// k is. Bits fill bytes from the least significant one.
const (
	riceEscape = 16
	riceParams = 16 // k is 0 to 15
)

// appendRice appends the codes of values, which are below NativeWindow: the
// first with parameter k, the second with kOdd, and so on in turn.
func appendRice(b []byte, values []uint32, k, kOdd uint) []byte {
	const longest = 4 // bytes of a code
	w := riceWriter{at: len(b)}
	b = slices.Grow(b, longest*len(values)+8)[:len(b)+longest*len(values)+8]
	for ; len(values) > 1; values = values[2:] {
		w = w.put(b, riceBits(values[0], k))
		w = w.put(b, riceBits(values[1], kOdd))
	}
	if len(values) > 0 {
		w = w.put(b, riceBits(values[0], k))
	}
	return b[:w.at+int(w.n+7)/8]
}

// riceBits is the code of v. Shifts are masked to spare the check for long
// ones.
func riceBits(v uint32, k uint) (c riceCode) {
	q := uint(v >> (k & 31))
	if q >= riceEscape {
		return riceCode{uint64(v) << riceEscape, riceEscape + 16}
	}
	return riceCode{(uint64(v)&(1<<(k&31)-1)<<1 | 1) << (q & 63), q + 1 + k}
}

type riceCode struct {
	bits uint64 // from the lowest on
	size uint
}

// riceWriter is where the next code goes. It is a value, to live in registers.
type riceWriter struct {
	at  int    // the first byte that is not full
	acc uint64 // the bits that it holds so far
	n   uint   // and their number
}

// put writes a code to b, which has 8 bytes from w.at on.
func (w riceWriter) put(b []byte, c riceCode) riceWriter {
	w.acc |= c.bits << (w.n & 7)
	w.n += c.size
	binary.LittleEndian.PutUint64(b[w.at:], w.acc)
	return riceWriter{w.at + int(w.n/8), w.acc >> (w.n &^ 7 & 63), w.n % 8}
}
