package codec

import (
	"bytes"
	"maps"
	"slices"
)

// Records are the slot's latest records as they stand, byte for byte: the
// chunks, ascending by window, and the head, where there is one. Values are
// those of s.
func (s *NativeSlot) Records() []Record {
	var records []Record
	for _, window := range slices.Sorted(maps.Keys(s.chunks)) {
		records = append(records, Record{nativeKey{s.NativeID, nativeChunk, window}.append(nil), s.chunks[window]})
	}
	if s.head != nil {
		records = append(records, Record{nativeKey{NativeID: s.NativeID, kind: nativeHead}.append(nil), s.head})
	}
	return records
}

// DiffNative is the records to write where before is what stands, so that
// after does: tombstones for the keys that after does not have, then what after
// has otherwise, in its order. Neither has a key twice, or tombstones.
func DiffNative(before, after []Record) []Record {
	stands := make(map[string][]byte, len(before))
	for _, r := range before {
		stands[string(r.Key)] = r.Value
	}
	var written []Record
	for _, r := range after {
		value, ok := stands[string(r.Key)]
		if !ok || !bytes.Equal(value, r.Value) {
			written = append(written, r)
		}
		delete(stands, string(r.Key))
	}
	var dropped []Record
	for _, r := range before {
		if _, ok := stands[string(r.Key)]; ok {
			dropped = append(dropped, Record{Key: r.Key})
		}
	}
	return append(dropped, written...)
}
