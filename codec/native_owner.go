package codec

import "encoding/binary"

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
