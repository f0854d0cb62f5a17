package codec

import (
	"bytes"
	"maps"
	"slices"
)

// NativeCommit is one commit to write in the native format.
type NativeCommit struct {
	NativeID
	NativeStamp
	// State is what to commit; it is made canonical first.
	State State
	// Prev is what the slot's records say now: only chunks that differ are
	// written. The zero State stands for no records.
	Prev State
	// Stale are windows whose chunk is not what Prev says (see
	// [NativeReading]): they are written again, or deleted.
	Stale []int64
}

// EncodeNative is the records of a commit: the chunks that changed, in
// ascending order of window and with tombstones for those that hold no gaps
// any more, and the head, which comes last. They belong into the partition
// [NativePartition] and into one transaction. The error is an [*Error].
func EncodeNative(c NativeCommit) ([]Record, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	stale := make(map[int64]bool, len(c.Stale))
	for _, window := range c.Stale {
		stale[window] = true
	}
	s := c.State
	if s.Check() != nil {
		s = s.Normalize()
	}
	w := nativeWriter{id: c.NativeID}
	head := NativeHead{Stable: s.Stable, Max: s.Max, NativeStamp: c.NativeStamp}
	diffChunks(newChunker(c.Prev.Gaps), newChunker(s.Gaps), func(window int64, prev, next windowChunk) {
		if len(next.spans) == 0 {
			w.drop(window)
		} else {
			head.Chunks++
			head.Outstanding += next.count(anywhere)
			if stale[window] || !prev.equal(next) {
				w.put(next)
			}
		}
		delete(stale, window)
	})
	for _, window := range slices.Sorted(maps.Keys(stale)) {
		w.drop(window)
	}
	w.head(head)
	return w.records, nil
}

// DeleteNative is the tombstones for everything that the slot has in the
// topic: its chunks are at windows.
func DeleteNative(id NativeID, windows []int64) ([]Record, error) {
	if err := id.check(); err != nil {
		return nil, err
	}
	w := nativeWriter{id: id}
	for _, window := range windows {
		w.drop(window)
	}
	w.add(nativeKey{NativeID: id, kind: nativeHead}, nil)
	return w.records, nil
}

// nativeWriter collects the records of one slot's commit.
type nativeWriter struct {
	id      NativeID
	records []Record
	chunks  chunkWriter
	scratch []byte
}

func (w *nativeWriter) put(c windowChunk) {
	w.scratch = w.chunks.append(w.scratch[:0], c)
	w.add(nativeKey{w.id, nativeChunk, c.window}, bytes.Clone(w.scratch))
}

func (w *nativeWriter) drop(window int64) {
	w.add(nativeKey{w.id, nativeChunk, window}, nil)
}

func (w *nativeWriter) head(h NativeHead) {
	w.add(nativeKey{NativeID: w.id, kind: nativeHead}, h.append(nil))
}

func (w *nativeWriter) add(k nativeKey, value []byte) {
	key := k.append(make([]byte, 0, len(k.Group)+40))
	w.records = append(w.records, Record{key, value})
}
