package gapstore

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

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

// Replace is the records that make what before is into after, both of one
// partition of group: tombstones for what after lacks, and what it has
// otherwise. They belong into one transaction with the committed offset
// ([Hold.Commit]). One that the topic does not take is a [*SizeError] now,
// before anything is written.
func (n NativeHome) Replace(group string, before, after []codec.Record) ([]*kgo.Record, error) {
	return n.address(group, codec.DiffNative(before, after))
}
