package codec

import (
	"encoding/binary"
	"fmt"
)

// recordReader reads the fields of one record key or value, in Kafka's
// encoding (KIP-482). The first failure sticks: later reads give zeros, and
// the caller checks once. Lengths and counts are checked against what is left
// before anything is allocated.
type recordReader struct {
	format string // for errors
	part   string // for errors: "key" or "value"
	buf    []byte
	at     int
	err    *Error
}

// fail records the first failure, at the byte where it was seen.
func (r *recordReader) fail(at int, reason string, args ...any) {
	if r.err == nil {
		r.err = &Error{Class: ErrCorrupt, Format: r.format, Position: at, Reason: r.part + ": " + fmt.Sprintf(reason, args...)}
	}
}

// left is the number of bytes that are not read yet; 0 after a failure.
func (r *recordReader) left() int {
	if r.err != nil {
		return 0
	}
	return len(r.buf) - r.at
}

// take is the next n bytes, or n zeros once the reader has failed. The
// primitives below ask for at most 16; longer fields check left first.
func (r *recordReader) take(n int) []byte {
	if r.err == nil && n > r.left() {
		r.fail(r.at, "%d bytes wanted, %d left", n, r.left())
	}
	if r.err != nil {
		return make([]byte, min(n, 16))
	}
	b := r.buf[r.at : r.at+n]
	r.at += n
	return b
}

func (r *recordReader) int8() int8   { return int8(r.take(1)[0]) }
func (r *recordReader) int16() int16 { return int16(binary.BigEndian.Uint16(r.take(2))) }
func (r *recordReader) int32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *recordReader) int64() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }

func (r *recordReader) uuid() (id [16]byte) {
	copy(id[:], r.take(16))
	return id
}

// string is an int16 length and that many bytes.
func (r *recordReader) string() string {
	at := r.at
	n := int(r.int16())
	if n < 0 || n > r.left() {
		r.fail(at, "a string claims %d bytes, %d are left", n, r.left())
		return ""
	}
	return string(r.take(n))
}

// compactString is a uvarint of the length plus one, and that many bytes.
func (r *recordReader) compactString() string {
	at := r.at
	n := int64(r.uvarint()) - 1
	if n < 0 || n > int64(r.left()) {
		r.fail(at, "a string claims %d bytes, %d are left", n, r.left())
		return ""
	}
	return string(r.take(int(n)))
}

// uvarint is an unsigned LEB128 number of at most 32 bits.
func (r *recordReader) uvarint() uint32 {
	at := r.at
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.take(1)[0]
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
		if shift == 28 {
			r.fail(at, "a number of more than five bytes")
		}
	}
	if v > 1<<32-1 {
		r.fail(at, "a number of more than 32 bits")
	}
	if r.err != nil {
		return 0
	}
	return uint32(v)
}

// count is the length of a compact array whose elements take at least size
// bytes each; a null array is empty.
func (r *recordReader) count(size int) int {
	at := r.at
	n := int64(r.uvarint()) - 1
	if n > int64(r.left()/size) {
		r.fail(at, "%d elements are claimed, the %d bytes left can not hold them", n, r.left())
		return 0
	}
	return int(max(0, n))
}

// tags reads tagged fields and hands each to known, which reports whether it
// has read it; others are skipped, as newer writers may add them.
func (r *recordReader) tags(known func(tag uint32, size int) bool) {
	for n := r.uvarint(); n > 0 && r.err == nil; n-- {
		tag, at := r.uvarint(), r.at
		size := r.uvarint()
		if int64(size) > int64(r.left()) {
			r.fail(at, "tagged field %d claims %d bytes, %d are left", tag, size, r.left())
			return
		}
		if known == nil || !known(tag, int(size)) {
			r.take(int(size))
		}
	}
}

// end fails unless every byte was read.
func (r *recordReader) end() {
	if n := r.left(); n > 0 {
		r.fail(r.at, "%d bytes are left over", n)
	}
}
