package codec

import (
	"errors"
	"math"
	"time"
)

// Records of __share_group_state (KIP-932; ShareSnapshotKey, ShareUpdateKey
// and their values). Numbers are big-endian; [] is a compact array; every
// struct of a value ends with tagged fields.
//
//	key             int16 type (0 snapshot, 1 update), string group, uuid topic, int32 partition
//	snapshot value  int16 0, int32 snapshot epoch, int32 state epoch, int32 leader epoch,
//	                int64 start, int64 created ms, int64 written ms, [] batch
//	update value    int16 0, int32 snapshot epoch, int32 leader epoch, int64 start, [] batch
//	batch           int64 first, int64 last (inclusive), int8 state, int16 count
//	tag 0           int32 delivery complete count (KIP-1226, Kafka 4.2)
//
// Kafka 4.0 wrote the snapshot epoch as uint16 and no times, with the same
// version: it is told by which layout ends where the value ends.

// ShareRecordKind says which of the two records a share record is.
type ShareRecordKind string

// The kinds.
const (
	ShareSnapshot ShareRecordKind = "snapshot" // replaces the state
	ShareUpdate   ShareRecordKind = "update"   // amends the state since the snapshot
)

// ShareRecord is one record of __share_group_state, as written.
type ShareRecord struct {
	Kind ShareRecordKind
	Key  ShareKey
	// Tombstone is true when the value is null; the fields below are then zero.
	Tombstone bool
	// Preview is true for the layout of Kafka 4.0.
	Preview                                bool
	SnapshotEpoch, StateEpoch, LeaderEpoch int32 // updates have no state epoch: 0
	// StartOffset is the first offset of interest; -1: not initialised, or, in
	// an update, unchanged.
	StartOffset int64
	// DeliveryComplete is the number of finished offsets at or above
	// StartOffset; -1: not known.
	DeliveryComplete int32
	// CreatedAt and WrittenAt are the snapshot's times; zero where it has none.
	CreatedAt, WrittenAt time.Time
	// Batches are as written: they need not be sorted nor disjoint.
	Batches []Delivery
}

const batchSize = 8 + 8 + 1 + 2 + 1 // the least bytes of a batch, with its tags

// DecodeShareRecord reads one record of __share_group_state; value nil is a
// tombstone. The error is an [*Error]; when only the value is at fault the
// record has its Kind and Key all the same.
func DecodeShareRecord(key, value []byte) (ShareRecord, error) {
	r := recordReader{format: shareGroupName, part: "key", buf: key}
	kind := r.int16()
	rec := ShareRecord{Key: ShareKey{r.string(), r.uuid(), r.int32()}}
	r.end()
	switch {
	case len(key) >= 2 && kind != 0 && kind != 1:
		return ShareRecord{}, &Error{Class: ErrUnsupported, Format: shareGroupName, Position: 0, Reason: "the key is of no known record type"}
	case r.err != nil:
		return ShareRecord{}, r.err
	case kind == 0:
		rec.Kind = ShareSnapshot
	default:
		rec.Kind = ShareUpdate
	}
	if value == nil {
		rec.Tombstone = true
		return rec, nil
	}
	full, err := readShareValue(rec, value)
	if errors.Is(err, ErrCorrupt) {
		rec.Preview = true
		if old, oldErr := readShareValue(rec, value); oldErr == nil {
			return old, nil
		}
		rec.Preview = false
	}
	if err != nil {
		return rec, err
	}
	return full, nil
}

// readShareValue completes rec, which knows its kind and layout.
func readShareValue(rec ShareRecord, value []byte) (ShareRecord, error) {
	r := recordReader{format: shareGroupName, part: "value", buf: value}
	if version := r.int16(); r.err == nil && version != 0 {
		return rec, &Error{Class: ErrUnsupported, Format: shareGroupName, Position: 0, Reason: "the value is of no known version"}
	}
	if rec.Preview {
		rec.SnapshotEpoch = int32(uint16(r.int16()))
	} else {
		rec.SnapshotEpoch = r.int32()
	}
	if rec.Kind == ShareSnapshot {
		rec.StateEpoch = r.int32()
	}
	rec.LeaderEpoch = r.int32()
	at := r.at
	if rec.StartOffset = r.int64(); rec.StartOffset < -1 {
		r.fail(at, "the start offset %d is negative", rec.StartOffset)
	}
	if rec.Kind == ShareSnapshot && !rec.Preview {
		rec.CreatedAt = time.UnixMilli(r.int64()).UTC()
		rec.WrittenAt = time.UnixMilli(r.int64()).UTC()
	}
	rec.Batches = r.batches()
	rec.DeliveryComplete = -1
	r.tags(func(tag uint32, size int) bool {
		if tag != 0 || size != 4 {
			return false
		}
		rec.DeliveryComplete = r.int32()
		return true
	})
	r.end()
	if r.err != nil {
		return ShareRecord{}, r.err
	}
	return rec, nil
}

func (r *recordReader) batches() []Delivery {
	n := r.count(batchSize)
	if n == 0 {
		return nil
	}
	out := make([]Delivery, 0, n)
	for range n {
		at := r.at
		first, last := r.int64(), r.int64()
		d := Delivery{State: DeliveryState(r.int8()), Count: r.int16()}
		r.tags(nil)
		switch {
		case first < 0 || last < first || last == math.MaxInt64:
			r.fail(at, "a batch of offsets %d to %d", first, last)
		case d.State < Available || d.State > Archived:
			r.fail(at, "a batch in state %d, which is no delivery state", int8(d.State))
		}
		if r.err != nil {
			return nil
		}
		d.Range = Range{first, last + 1}
		out = append(out, d)
	}
	return out
}

// state is what the record says when it stands alone.
func (rec ShareRecord) state() ShareState {
	return ShareState{
		SnapshotEpoch: rec.SnapshotEpoch, StateEpoch: rec.StateEpoch, LeaderEpoch: rec.LeaderEpoch,
		StartOffset: rec.StartOffset, DeliveryComplete: rec.DeliveryComplete, Batches: rec.Batches,
	}
}
