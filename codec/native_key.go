package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	nativeMagic   = 'g' // first byte of every key
	nativeHead    = 1   // second byte of the key of a head
	nativeChunk   = 2   // second byte of the key of a chunk
	nativeVersion = 1   // first byte of every value

	// maxGroupLength bounds the group's name in bytes; Kafka's own requests
	// can't carry a longer string.
	maxGroupLength = math.MaxInt16
)

// nativeKey is a decoded key.
type nativeKey struct {
	NativeID
	kind   byte  // nativeHead or nativeChunk
	window int64 // of a chunk
}

// append appends the bytes of the key.
func (k nativeKey) append(b []byte) []byte {
	b = append(b, nativeMagic, k.kind)
	b = binary.AppendUvarint(b, uint64(len(k.Group)))
	b = append(b, k.Group...)
	b = append(b, k.TopicID[:]...)
	b = binary.AppendUvarint(b, uint64(k.Partition))
	b = binary.AppendUvarint(b, uint64(k.Slot))
	if k.kind == nativeChunk {
		b = binary.AppendUvarint(b, uint64(k.window))
	}
	return b
}

// check says why id can't be written.
func (id NativeID) check() error {
	switch {
	case len(id.Group) > maxGroupLength:
		return nativeError(ErrTooLarge, -1, fmt.Sprintf("the group's name has %d bytes, the limit is %d", len(id.Group), maxGroupLength))
	case !utf8.ValidString(id.Group):
		return nativeError(ErrUnsupported, -1, fmt.Sprintf("the group's name %q is not UTF-8", id.Group))
	case id.Partition < 0:
		return nativeError(ErrUnsupported, -1, fmt.Sprintf("partition %d is negative", id.Partition))
	}
	return nil
}

func parseNativeKey(key []byte) (nativeKey, error) {
	if len(key) == 0 || key[0] != nativeMagic {
		return nativeKey{}, nativeError(ErrUnknownFormat, 0, "the key is not that of a gap commit: another program writes to this topic")
	}
	r := nativeReader{data: key, pos: 1}
	k := nativeKey{kind: r.byte("record type")}
	if r.err == nil && k.kind != nativeHead && k.kind != nativeChunk {
		return nativeKey{}, nativeError(ErrUnsupported, 1, fmt.Sprintf("record type %d: written by newer software", k.kind))
	}
	group := r.bytes(r.uvarint(maxGroupLength, "length of the group's name"), "group")
	if !utf8.Valid(group) {
		r.fail("the group's name is not UTF-8")
	}
	k.Group = string(group)
	copy(k.TopicID[:], r.bytes(16, "topic ID"))
	k.Partition = int32(r.uvarint(math.MaxInt32, "partition"))
	k.Slot = uint32(r.uvarint(math.MaxUint32, "slot"))
	if k.kind == nativeChunk {
		k.window = int64(r.uvarint(windowLimit-1, "window"))
	}
	return k, r.end()
}

// NativeOwner is the group that the record with this key belongs to, without
// reading the rest of the key. ok is false where there is none to be found:
// [NativeFold.Apply] says why. The result lies in key.
func NativeOwner(key []byte) (group []byte, ok bool) {
	if len(key) < 2 || key[0] != nativeMagic {
		return nil, false
	}
	length, n := binary.Uvarint(key[2:])
	if n <= 0 || length > uint64(len(key)-2-n) {
		return nil, false
	}
	return key[2+n:][:length], true
}
