package codec

import (
	"encoding/binary"
	"math/bits"
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
	at := len(b)
	b = slices.Grow(b, longest*len(values)+8)[:at+longest*len(values)+8]
	acc, n := uint64(0), uint(0) // bits that are not in b yet, 31 at most
	for _, v := range values {
		if q := uint(v >> k); q < riceEscape {
			acc |= (1 | uint64(v)<<1&(2<<k-1)) << (n + q)
			n += q + 1 + k
		} else {
			acc |= uint64(v) << (n + riceEscape)
			n += riceEscape + 16
		}
		if n >= 32 {
			binary.LittleEndian.PutUint32(b[at:], uint32(acc))
			at += 4
			acc >>= 32
			n -= 32
		}
		k, kOdd = kOdd, k
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(acc))
	return b[:at+int(n+7)/8]
}

// riceReader reads codes. It keeps its memory from one call to the next.
type riceReader struct {
	values []uint32
	padded []byte
}

// read makes values the numbers that appendRice wrote, as many as,
// each raised by one, add up to total. ok: they add up to exactly that, and
// codes holds nothing else.
func (r *riceReader) read(codes []byte, total uint32, k, kOdd uint) (ok bool) {
	// With 8 zero bytes behind them, any code can be read as 8 bytes.
	r.padded = append(append(r.padded[:0], codes...), 0, 0, 0, 0, 0, 0, 0, 0)
	limit := uint(len(codes)) * 8
	r.values = slices.Grow(r.values[:0], int(min(limit, uint(total))))
	padded, values, pos, sum := r.padded, r.values, uint(0), uint32(0)
	for sum < total {
		if pos >= limit {
			return false
		}
		x := binary.LittleEndian.Uint64(padded[pos>>3:]) >> (pos & 7)
		q := uint(bits.TrailingZeros64(x | 1<<riceEscape))
		v := uint32(q<<(k&15)) | uint32(x>>(q+1))&(1<<(k&15)-1)
		pos += q + 1 + k
		if q == riceEscape {
			v = uint32(x>>riceEscape) & 0xffff
			pos += riceEscape - 1 - k
			if v>>k < riceEscape {
				return false
			}
		}
		sum += v + 1
		values = append(values, v)
		k, kOdd = kOdd, k
	}
	r.values = values
	return sum == total && pos <= limit && limit-pos < 8 && (pos == limit || padded[pos>>3]>>(pos&7) == 0)
}
