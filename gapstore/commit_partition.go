package gapstore

import "github.com/twmb/franz-go/pkg/kgo"

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
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return c.TopicPartitioner.Partition(r, n)
}
