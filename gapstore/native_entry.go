package gapstore

import (
	"encoding/base64"
	"errors"

	"github.com/gapctl/gapctl/codec"
)

const nativeFormat = "native"

// Slot is what one slot of the native topic says about a partition.
type Slot struct {
	codec.NativeID
	codec.NativeReading
	Err     error             // why it can not be relied on
	Written *codec.NativeSlot // the bytes
}

// newNativeEntry is what the slots of e say together. A topic that does not
// exist any more has its ID for a name, as Kafka writes IDs.
func newNativeEntry(e codec.NativeEntry, names map[[16]byte]string) Entry {
	topic, ok := names[e.TopicID]
	if !ok {
		topic = base64.RawURLEncoding.EncodeToString(e.TopicID[:])
	}
	entry := Entry{
		Key: Key{e.Group, topic, e.Partition}, TopicID: e.TopicID, Committed: NoOffset, LeaderEpoch: -1,
		Home: HomeNative, Format: nativeFormat, ReportedLag: NoOffset,
	}
	var states []codec.State
	for _, slot := range e.Slots {
		reading, err := slot.Read()
		if err != nil {
			entry.Err = errors.Join(entry.Err, err)
		}
		entry.Slots = append(entry.Slots, Slot{slot.NativeID, reading, err, slot})
		entry.Size += reading.Size
		entry.Anomalies = append(entry.Anomalies, reading.Anomalies...)
		states = append(states, reading.State)
	}
	if len(states) == 1 {
		entry.State = states[0] // as written
	} else {
		entry.State = codec.UnionSlots(states...)
	}
	return entry
}

// NativeRecords are the records of the partition in the native topic, byte for
// byte, slot by slot.
func (e *Entry) NativeRecords() []codec.Record {
	var records []codec.Record
	for _, slot := range e.Slots {
		if slot.Written != nil {
			records = append(records, slot.Written.Records()...)
		}
	}
	return records
}
