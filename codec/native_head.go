package codec

import (
	"encoding/binary"
	"math"
)

// append appends the value of the head record.
func (h NativeHead) append(b []byte) []byte {
	b = append(b, nativeVersion)
	for _, v := range []int64{
		h.Stable, h.Max - h.Stable, h.Outstanding, h.Chunks,
		max(-1, int64(h.LeaderEpoch)) + 1, max(-1, int64(h.Generation)) + 1, max(0, h.Time),
	} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return b
}

func parseNativeHead(value []byte) (NativeHead, error) {
	r := nativeReader{data: value}
	r.version()
	var h NativeHead
	h.Stable = int64(r.uvarint(math.MaxInt64, "stable offset"))
	span := r.uvarint(uint64(math.MaxInt64-h.Stable), "max offset")
	h.Max = h.Stable + int64(span)
	h.Outstanding = int64(r.uvarint(span, "outstanding"))
	h.Chunks = int64(r.uvarint(uint64(h.windows().Len()), "chunks"))
	h.LeaderEpoch = int32(int64(r.uvarint(1<<31, "leader epoch")) - 1)
	h.Generation = int32(int64(r.uvarint(1<<31, "generation")) - 1)
	h.Time = int64(r.uvarint(math.MaxInt64, "time"))
	return h, r.end()
}
