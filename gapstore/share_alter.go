package gapstore

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AlterShareOffsets sets the start offsets of share partitions: Offset is the
// start. The broker starts each afresh, and what it kept of its records'
// deliveries is gone. The coordinator itself refuses a group with members, as
// [ErrGroupActive]: so this needs no [Hold]. The errors are those of the
// partitions that were refused, by their index in starts.
func (s *Store) AlterShareOffsets(ctx context.Context, group string, starts []OffsetCommit) (map[int]error, error) {
	op := "reset share group " + group
	if !s.speaks(kmsg.DescribeShareGroupOffsets, 1) { // Kafka 4.1 takes the request, answers well, and does nothing
		return nil, feature{"resets of share groups", "4.2"}.lacking(op, nil)
	}
	req := kmsg.NewPtrAlterShareGroupOffsetsRequest()
	req.GroupID = group
	topics, index := map[string]int{}, map[place]int{}
	for i, o := range starts {
		index[place{o.Topic, o.Partition}] = i
		k, ok := topics[o.Topic]
		if !ok {
			k = len(req.Topics)
			topics[o.Topic] = k
			t := kmsg.NewAlterShareGroupOffsetsRequestTopic()
			t.Topic = o.Topic
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewAlterShareGroupOffsetsRequestTopicPartition()
		p.Partition, p.StartOffset = o.Partition, o.Offset
		req.Topics[k].Partitions = append(req.Topics[k].Partitions, p)
	}
	kresp, err := s.alter(ctx, op, req)
	if err != nil {
		return nil, err
	}
	resp := kresp.(*kmsg.AlterShareGroupOffsetsResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		if errors.Is(err, kerr.NonEmptyGroup) {
			return nil, &Error{Class: ErrGroupActive, Op: op, Err: err}
		}
		return nil, s.Failure(op, err)
	}
	refused := map[int]error{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if i, ok := index[place{t.Topic, p.Partition}]; ok && p.ErrorCode != 0 {
				refused[i] = s.Failure(op, kerr.ErrorForCode(p.ErrorCode))
			}
		}
	}
	return refused, nil
}
