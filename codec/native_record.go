package codec

// NativeRecord is what one record of [NativeTopic] says by itself.
type NativeRecord struct {
	NativeID
	// Kind is "head" or "chunk".
	Kind string
	// Tombstone: the record deletes; what follows is zero, but for Window.
	Tombstone bool
	// Head is the value of a head.
	Head NativeHead
	// Window is the window of a chunk: offsets [Window*NativeWindow,
	// (Window+1)*NativeWindow). A chunk may also speak of whole windows that
	// follow.
	Window int64
	// Gaps are the outstanding offsets of a chunk. Only those in the head's
	// [Stable,Max) count.
	Gaps Ranges
	// Encoding is the container of a chunk.
	Encoding string
}

// DecodeNativeRecord reads one record; a nil value is a tombstone. The error
// is an [*Error]: ErrUnknownFormat for a key of another program,
// ErrUnsupported for newer software's. When only the value can't be read, the
// record still has its NativeID, Kind and Window.
func DecodeNativeRecord(key, value []byte) (NativeRecord, error) {
	k, err := parseNativeKey(key)
	if err != nil {
		return NativeRecord{}, err
	}
	r := NativeRecord{NativeID: k.NativeID, Kind: "head", Window: k.window, Tombstone: value == nil}
	if k.kind == nativeChunk {
		r.Kind = "chunk"
	}
	switch {
	case r.Tombstone:
	case k.kind == nativeHead:
		r.Head, err = parseNativeHead(value)
	default:
		var d chunkReader
		var c windowChunk
		if c, err = d.read(k.window, value); err == nil {
			var rs []Range
			for g := range c.ranges(anywhere) {
				rs = appendJoined(rs, g)
			}
			r.Gaps, r.Encoding = Ranges{rs: rs}, d.written.String()
		}
	}
	return r, err
}
