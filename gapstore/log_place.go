package gapstore

import (
	"context"
	"errors"
	"unicode/utf16"

	"github.com/gapctl/gapctl/codec"
)

// The topics that Kafka keeps commits in. The third of them is
// [codec.NativeTopic].
const (
	commitTopic = "__consumer_offsets"
	shareTopic  = "__share_group_state"
)

// LogPlace is one partition of a topic that keeps commits.
type LogPlace struct {
	Topic     string
	Partition int32
}

// CommitLog is where the offset commits of group are kept. The error is an
// [*Error].
func (s *Store) CommitLog(ctx context.Context, group string) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, commitTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{commitTopic, partitionFor(group, n)}, nil
}

// ShareLog is where the state of a share partition is kept. The error is an
// [*Error].
func (s *Store) ShareLog(ctx context.Context, key codec.ShareKey) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, shareTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{shareTopic, partitionFor(shareKey(key.Group, key.TopicID, key.Partition), n)}, nil
}

// NativeLog is where the native commits of group are kept. The error is an
// [*Error].
func (s *Store) NativeLog(ctx context.Context, group string) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, codec.NativeTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{codec.NativeTopic, codec.NativePartition(group, int32(n))}, nil
}

func (s *Store) partitionsOf(ctx context.Context, name string) (int, error) {
	topics, err := s.Topics(ctx, []string{name})
	if err != nil {
		return 0, err
	}
	topic := topics[name]
	if topic.Err == nil && len(topic.Logs) == 0 {
		return 0, Classify("read topic "+name, errors.New("it has no partitions"))
	}
	return len(topic.Logs), topic.Err
}

// partitionFor is the partition, out of n, of the topic in which a coordinator
// keeps key: a group, or a [shareKey] (GroupCoordinatorService.partitionFor and
// ShareCoordinatorService.partitionFor: Utils.abs of the Java hash, which is 0 for
// the least integer).
func partitionFor(key string, n int) int32 {
	var hash int32
	for _, unit := range utf16.Encode([]rune(key)) {
		hash = 31*hash + int32(unit)
	}
	if hash < 0 {
		hash = max(0, -hash)
	}
	return hash % int32(n)
}
