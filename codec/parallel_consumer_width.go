package codec

import (
	"encoding/binary"
	"math"
)

// pcWidth is how many bytes a number takes: 2 in the first version of an
// encoding, 4 in the second. Numbers are signed and big-endian.
type pcWidth int

// read is the number that b, which is long enough, starts with.
func (w pcWidth) read(b []byte) int64 {
	if w == 2 {
		return int64(int16(binary.BigEndian.Uint16(b)))
	}
	return int64(int32(binary.BigEndian.Uint32(b)))
}

// readTwo is the two numbers that b, which is long enough, starts with.
func (w pcWidth) readTwo(b []byte) (first, second int64) {
	if w == 2 {
		both := int64(int32(binary.BigEndian.Uint32(b)))
		return both >> 16, int64(int16(both))
	}
	both := int64(binary.BigEndian.Uint64(b))
	return both >> 32, int64(int32(both))
}

// largest is the largest number that can be written.
func (w pcWidth) largest() int64 {
	if w == 2 {
		return math.MaxInt16
	}
	return math.MaxInt32
}

// append appends n, which is known to be in bounds.
func (w pcWidth) append(dst []byte, n int64) []byte {
	if w == 2 {
		return binary.BigEndian.AppendUint16(dst, uint16(n))
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}
