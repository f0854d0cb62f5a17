package codec

import (
	"encoding/binary"
	"fmt"
)

// nativeReader reads fields off a key or value. The first failure sticks, and
// every read after it gives zero, so that a decoder is a list of reads and one
// check.
type nativeReader struct {
	data []byte
	pos  int
	err  error
}

func (r *nativeReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = nativeError(ErrCorrupt, r.pos, fmt.Sprintf(format, args...))
	}
}

func nativeError(class error, position int, reason string) error {
	return &Error{Class: class, Format: native.Name, Position: position, Reason: reason}
}

func (r *nativeReader) rest() []byte { return r.data[r.pos:] }

func (r *nativeReader) byte(what string) byte {
	if b := r.bytes(1, what); b != nil {
		return b[0]
	}
	return 0
}

// bytes is the next n bytes, not copied; nil when they are not there.
func (r *nativeReader) bytes(n uint64, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n > uint64(len(r.rest())) {
		r.fail("%s: %d bytes wanted, %d left", what, n, len(r.rest()))
		return nil
	}
	b := r.rest()[:n]
	r.pos += int(n)
	return b
}

// uvarint reads an unsigned LEB128 number up to limit, inclusive, in its
// shortest form: the bytes of a key are its identity under log compaction.
func (r *nativeReader) uvarint(limit uint64, what string) uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.rest())
	switch {
	case n <= 0:
		r.fail("%s: not a variable-length number", what)
	case n > 1 && r.rest()[n-1] == 0:
		r.fail("%s: not the shortest form of the number %d", what, v)
	case v > limit:
		r.fail("%s: %d is beyond %d", what, v, limit)
	default:
		r.pos += n
		return v
	}
	return 0
}

// positive reads a number from 1 to limit.
func (r *nativeReader) positive(limit uint64, what string) uint64 {
	v := r.uvarint(limit, what)
	if r.err == nil && v == 0 {
		r.fail("%s: 0", what)
	}
	return v
}

// version takes the first byte of a value.
func (r *nativeReader) version() {
	if v := r.byte("version"); r.err == nil && v != nativeVersion {
		class, reason := ErrCorrupt, "version 0"
		if v > nativeVersion {
			class, reason = ErrUnsupported, fmt.Sprintf("version %d, known is %d: written by newer software", v, nativeVersion)
		}
		r.err = nativeError(class, 0, reason)
	}
}

// end asks that nothing is left, and is the reader's error.
func (r *nativeReader) end() error {
	if r.err == nil && len(r.rest()) > 0 {
		r.fail("%d bytes after the end", len(r.rest()))
	}
	return r.err
}
