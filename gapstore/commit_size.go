package gapstore

import (
	"context"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// commitLimits are how much one commit may carry.
type commitLimits struct {
	batch    int // bytes of the batch in __consumer_offsets
	metadata int // UTF-16 units of one metadata text
}

const (
	// defaultBatchLimit is max.message.bytes of a topic where the broker does
	// not tell (ServerLogConfigs.MAX_MESSAGE_BYTES_DEFAULT).
	defaultBatchLimit = 1_048_588
	limitsTimeout     = 5 * time.Second
)

// readLimits asks for the limits in force. Whoever may not see configurations
// gets the defaults: then the broker has the last word.
func readLimits(ctx context.Context, cl *kgo.Client, coordinator int32) commitLimits {
	l := commitLimits{batch: defaultBatchLimit, metadata: defaultMetadataLimit}
	ctx, cancel := context.WithTimeout(ctx, limitsTimeout)
	defer cancel()
	const batch, metadata = "max.message.bytes", "offset.metadata.max.bytes"
	broker := strconv.Itoa(int(coordinator))
	told := intConfigs(ctx, cl, configsOf(kmsg.ConfigResourceTypeTopic, commitTopic, batch), configsOf(kmsg.ConfigResourceTypeBroker, broker, metadata))
	if n := told[commitTopic][batch]; n > 0 {
		l.batch = n
	}
	if n := told[broker][metadata]; n > 0 {
		l.metadata = n
	}
	return l
}

func (l commitLimits) checkMetadata(key Key, metadata string) error {
	if size := codec.MetadataSize(metadata); size > l.metadata {
		return &SizeError{Op: "commit " + key.String(), What: "characters of metadata", Need: size, Limit: l.metadata}
	}
	return nil
}

// checkBatch bounds the batch that the coordinator will write. Past its limit
// the coordinator fails the whole request, and names no reason.
func (l commitLimits) checkBatch(group string, offsets []OffsetCommit) error {
	size := batchOverhead
	for _, o := range offsets {
		size += commitRecordSize(group, o)
	}
	if size > l.batch {
		return &SizeError{Op: "commit offsets of group " + group, What: "bytes in one commit", Need: size, Limit: l.batch}
	}
	return nil
}

// batchOverhead is the header of a record batch, version 2.
const batchOverhead = 61

// commitRecordSize is an upper bound, by a few bytes, of the record that holds a
// commit. The value is taken in its largest version, with the topic's ID.
func commitRecordSize(group string, o OffsetCommit) int {
	key := kmsg.OffsetCommitKey{Version: 1, Group: group, Topic: o.Topic, Partition: o.Partition}
	value := kmsg.OffsetCommitValue{Version: 4, TopicID: [16]byte{1}}
	keyLen := len(key.AppendTo(nil))
	valueLen := len(value.AppendTo(nil)) + len(o.Metadata) + 2 // the length needs up to 2 bytes more
	const small = 1 + 1 + 3 + 1                                // attributes, timestamp delta, offset delta, no headers
	body := small + kbin.VarintLen(int32(keyLen)) + keyLen + kbin.VarintLen(int32(valueLen)) + valueLen
	return kbin.VarintLen(int32(body)) + body
}
