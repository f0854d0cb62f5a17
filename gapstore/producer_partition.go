package gapstore

import (
	"math"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A record for partition toRefuse is refused, and its Partition then is refused:
// that tells it from one that failed before its topic's partitions were known.
const (
	toRefuse = math.MaxInt32
	refused  = math.MinInt32
)

// chosenPartition sends a record to its own Partition when that is not
// negative, and otherwise where by would.
type chosenPartition struct{ by kgo.Partitioner }

// ForTopic is the partitioner of one topic.
func (c chosenPartition) ForTopic(topic string) kgo.TopicPartitioner {
	return chosenTopicPartition{c.by.ForTopic(topic)}
}

type chosenTopicPartition struct{ kgo.TopicPartitioner }

// RequiresConsistency reports whether the record may go to one partition only,
// even if that has no leader right now.
func (c chosenTopicPartition) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || c.TopicPartitioner.RequiresConsistency(r)
}

// Partition is where the record goes; out of range, the producer refuses it.
func (c chosenTopicPartition) Partition(r *kgo.Record, n int) int {
	if r.Partition == toRefuse {
		r.Partition = refused
		return -1
	}
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return c.TopicPartitioner.Partition(r, n)
}
