package gapstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gapctl/gapctl/codec"
)

// verifyNative looks for what would lose or hide gap commits.
func (s *Store) verifyNative(ctx context.Context, topic *Topic) (NativeHome, error) {
	home := NativeHome{ID: topic.ID, Partitions: int32(len(topic.Logs))}
	configs, err := s.topicConfigs(ctx, codec.NativeTopic, "cleanup.policy", "max.message.bytes")
	if err != nil {
		return NativeHome{}, err
	}
	unfit := &TopicError{Topic: codec.NativeTopic}
	add := func(kind, format string, args ...any) {
		unfit.Problems = append(unfit.Problems, TopicProblem{kind, fmt.Sprintf(format, args...)})
	}
	policies := cleanupPolicies(configs)
	if !slices.Contains(policies, "compact") {
		add("not-compacted", "cleanup.policy is %q: it would grow without end, or lose commits", configs["cleanup.policy"])
	}
	if slices.Contains(policies, "delete") {
		add("deletes", "cleanup.policy %q deletes commits by age or size", configs["cleanup.policy"])
	}
	if home.MaxMessage, _ = strconv.Atoi(configs["max.message.bytes"]); home.MaxMessage < nativeBatch {
		add("max-message-bytes", "max.message.bytes is %d: commits need %d", home.MaxMessage, nativeBatch)
	}
	moved, err := s.nativeMoved(ctx, topic)
	if err == nil {
		err = s.readable(ctx, topic)
	}
	if err != nil {
		return NativeHome{}, err
	}
	if moved {
		add("partition-count", "its records were written when it had another number of partitions than %d: groups would not find theirs", len(topic.Logs))
	}
	if len(unfit.Problems) > 0 {
		return NativeHome{}, unfit
	}
	return home, nil
}

// nativeMoved reports whether the first records of a partition are those of
// groups that belong into another one.
func (s *Store) nativeMoved(ctx context.Context, topic *Topic) (bool, error) {
	numbers := make([]int32, len(topic.Logs))
	for p := range numbers {
		numbers[p] = int32(p)
	}
	s.Ends(ctx, map[string]*Topic{codec.NativeTopic: topic}, map[string][]int32{codec.NativeTopic: numbers})
	byLeader := map[int32][]Position{}
	for p, log := range topic.Logs {
		if log.Err != nil {
			return false, log.Err
		}
		if log.Start < log.LastStable {
			byLeader[log.Leader] = append(byLeader[log.Leader],
				Position{Topic: codec.NativeTopic, ID: topic.ID, Partition: int32(p), Offset: log.Start})
		}
	}
	for leader, positions := range byLeader {
		got, err := s.Fetch(ctx, leader, positions, FetchLimit{Partition: 1 << 14, Response: 1 << 20})
		if err != nil {
			return false, err
		}
		for i, f := range got {
			for _, r := range f.Records {
				group, ok := codec.NativeOwner(r.Key)
				if ok && codec.NativePartition(string(group), int32(len(topic.Logs))) != positions[i].Partition {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// readable is nil when the topic's records may be read. Where it holds none yet,
// nothing else has found out.
func (s *Store) readable(ctx context.Context, topic *Topic) error {
	if len(topic.Logs) == 0 {
		return nil
	}
	log := topic.Logs[0]
	at := Position{Topic: codec.NativeTopic, ID: topic.ID, Offset: log.End}
	got, err := s.Fetch(ctx, log.Leader, []Position{at}, FetchLimit{Partition: 1, Response: 1})
	if err == nil && errors.Is(got[0].Err, ErrDenied) {
		err = got[0].Err
	}
	return err
}
