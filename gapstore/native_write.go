package gapstore

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// Replace is the records that make what before is into after, both of one
// partition of group: tombstones for what after lacks, and what it has
// otherwise. They belong into one transaction with the committed offset
// ([Hold.Commit]). One that the topic does not take is a [*SizeError] now,
// before anything is written.
func (n NativeHome) Replace(group string, before, after []codec.Record) ([]*kgo.Record, error) {
	return n.address(group, codec.DiffNative(before, after))
}

// Records are the records that make what before says into after: the chunks
// that change, the head, and tombstones for all slots but the first, whose
// commits after includes. They belong into one transaction with the committed
// offset, which is after.Stable ([Hold.Commit]). before is the entry that was
// loaded, in any format; where it holds no native records, all of after is
// written.
func (n NativeHome) Records(before Entry, after codec.State, stamp codec.NativeStamp) ([]*kgo.Record, error) {
	c := codec.NativeCommit{
		NativeID:    codec.NativeID{Group: before.Group, TopicID: before.TopicID, Partition: before.Partition},
		NativeStamp: stamp, State: after,
	}
	var records []codec.Record
	for _, slot := range before.Slots {
		if slot.Slot == 0 && slot.Err == nil {
			c.Prev, c.Stale = slot.State, slot.Stale
			continue
		}
		if slot.Slot == 0 {
			c.Stale = slot.Windows // nothing of it can be relied on
			continue
		}
		dropped, err := codec.DeleteNative(slot.NativeID, slot.Windows)
		if err != nil {
			return nil, err
		}
		records = append(records, dropped...)
	}
	written, err := codec.EncodeNative(c)
	if err != nil {
		return nil, err
	}
	return n.address(before.Group, append(records, written...))
}

// Deletion is the tombstones for all that the native topic holds of the
// partition, for a group that goes over to another format.
func (n NativeHome) Deletion(before Entry) ([]*kgo.Record, error) {
	var records []codec.Record
	for _, slot := range before.Slots {
		dropped, err := codec.DeleteNative(slot.NativeID, slot.Windows)
		if err != nil {
			return nil, err
		}
		records = append(records, dropped...)
	}
	return n.address(before.Group, records)
}

// address makes records of group ones to produce. One that the topic does not take is a
// [*SizeError] now, before anything is written.
func (n NativeHome) address(group string, records []codec.Record) ([]*kgo.Record, error) {
	partition := codec.NativePartition(group, n.Partitions)
	out := make([]*kgo.Record, len(records))
	for i, r := range records {
		const around = batchOverhead + 32 // lengths, deltas and attributes of the record
		if size := len(r.Key) + len(r.Value) + around; size > min(n.MaxMessage, nativeBatch) {
			return nil, &SizeError{Op: "commit gaps of group " + group, What: "bytes in one record",
				Need: size, Limit: min(n.MaxMessage, nativeBatch)}
		}
		out[i] = &kgo.Record{Topic: codec.NativeTopic, Partition: partition, Key: r.Key, Value: r.Value}
	}
	return out, nil
}
