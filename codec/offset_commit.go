package codec

import (
	"fmt"
	"time"
)

const offsetCommitName = "offset-commit"

// Records of __consumer_offsets that hold commits (OffsetCommitKey,
// LegacyOffsetCommitKey, OffsetCommitValue). Numbers are big-endian.
//
//	key       int16 type (0 or 1), string group, string topic, int32 partition
//	value v0  int16 0, int64 offset, string metadata, int64 committed ms
//	value v1  int16 1, as v0, int64 expires ms
//	value v2  int16 2, as v0
//	value v3  int16 3, int64 offset, int32 leader epoch, string metadata, int64 committed ms
//	value v4  int16 4, as v3 with a compact string, tagged fields: tag 0 uuid topic

// OffsetCommit is one commit, as __consumer_offsets keeps it.
type OffsetCommit struct {
	Group, Topic string
	Partition    int32
	// Tombstone is true when the value is null: the commit was deleted or has
	// expired. The fields below are then zero.
	Tombstone bool
	Offset    int64
	// LeaderEpoch is the epoch of the last record before Offset; -1 when unset.
	LeaderEpoch int32
	// Metadata is the text that may hold gaps, see [Decode]. It is hostile.
	Metadata    string
	CommittedAt time.Time
	// TopicID is the topic's ID; zero before Kafka 4.1, or when not written.
	TopicID [16]byte
}

// DecodeOffsetCommit reads one record of __consumer_offsets; value nil is a
// tombstone. Records of that topic that are no commits are ErrUnsupported,
// with a reason that names the record's type. The error is an [*Error].
func DecodeOffsetCommit(key, value []byte) (OffsetCommit, error) {
	r := recordReader{format: offsetCommitName, part: "key", buf: key}
	kind := r.int16()
	if r.err == nil && kind != 0 && kind != 1 {
		return OffsetCommit{}, unsupportedRecord(kind)
	}
	c := OffsetCommit{Group: r.string(), Topic: r.string(), Partition: r.int32()}
	r.end()
	if r.err != nil {
		return OffsetCommit{}, r.err
	}
	if value == nil {
		c.Tombstone = true
		return c, nil
	}
	return readCommitValue(c, value)
}

func readCommitValue(c OffsetCommit, value []byte) (OffsetCommit, error) {
	r := recordReader{format: offsetCommitName, part: "value", buf: value}
	version := r.int16()
	if r.err == nil && (version < 0 || version > 4) {
		return OffsetCommit{}, &Error{Class: ErrUnsupported, Format: offsetCommitName, Position: 0, Reason: fmt.Sprintf("value: version %d is not known", version)}
	}
	c.Offset, c.LeaderEpoch = r.int64(), -1
	if version >= 3 {
		c.LeaderEpoch = r.int32()
	}
	if version >= 4 {
		c.Metadata = r.compactString()
	} else {
		c.Metadata = r.string()
	}
	c.CommittedAt = time.UnixMilli(r.int64()).UTC()
	if version == 1 {
		r.int64() // when the commit expires; the broker keeps commits by its own retention since
	}
	if version >= 4 {
		r.tags(func(tag uint32, size int) bool {
			if tag != 0 {
				return false
			}
			if size != len(c.TopicID) {
				r.fail(r.at, "a topic ID of %d bytes", size)
				return false
			}
			c.TopicID = r.uuid()
			return true
		})
	}
	r.end()
	if r.err != nil {
		return OffsetCommit{}, r.err
	}
	return c, nil
}

func unsupportedRecord(kind int16) *Error {
	reason := fmt.Sprintf("a record of unknown type %d, not a commit", kind)
	if name := groupRecordName(kind); name != "" {
		reason = fmt.Sprintf("a %s record (type %d), not a commit", name, kind)
	}
	return &Error{Class: ErrUnsupported, Format: offsetCommitName, Position: 0, Reason: reason}
}

// groupRecordName is the name that the group coordinator has for the key type
// (CoordinatorRecordType); "" when there is none.
func groupRecordName(kind int16) string {
	names := [...]string{
		2: "GroupMetadata",
		3: "ConsumerGroupMetadata", 4: "ConsumerGroupPartitionMetadata", 5: "ConsumerGroupMemberMetadata",
		6: "ConsumerGroupTargetAssignmentMetadata", 7: "ConsumerGroupTargetAssignmentMember",
		8:  "ConsumerGroupCurrentMemberAssignment",
		10: "ShareGroupMemberMetadata", 11: "ShareGroupMetadata", 12: "ShareGroupTargetAssignmentMetadata",
		13: "ShareGroupTargetAssignmentMember", 14: "ShareGroupCurrentMemberAssignment",
		15: "ShareGroupStatePartitionMetadata",
		16: "ConsumerGroupRegularExpression",
		17: "StreamsGroupMetadata", 19: "StreamsGroupMemberMetadata", 20: "StreamsGroupTargetAssignmentMetadata",
		21: "StreamsGroupTargetAssignmentMember", 22: "StreamsGroupCurrentMemberAssignment",
		23: "StreamsGroupTopology",
	}
	if kind < 0 || int(kind) >= len(names) {
		return ""
	}
	return names[kind]
}
