package gapstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// DeleteOffsets deletes commits of the group, so that nothing is committed for
// those partitions. The coordinator refuses it for what members of the group
// read, as [ErrGroupActive]; that is its only guard, so compare under a [Hold]
// first, and release that. A group that has nothing else is gone afterwards.
// [ErrPartial]: some may be deleted; [ErrUnknownOutcome]: read back.
func (s *Store) DeleteOffsets(ctx context.Context, group string, parts []Key) error {
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = group
	topics := map[string]int{}
	for _, p := range parts {
		i, ok := topics[p.Topic]
		if !ok {
			i = len(req.Topics)
			topics[p.Topic] = i
			t := kmsg.NewOffsetDeleteRequestTopic()
			t.Topic = p.Topic
			req.Topics = append(req.Topics, t)
		}
		rp := kmsg.NewOffsetDeleteRequestTopicPartition()
		rp.Partition = p.Partition
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, rp)
	}
	op := "delete offsets of group " + group
	kresp, err := s.alter(ctx, op, req)
	if err != nil {
		return err
	}
	resp := kresp.(*kmsg.OffsetDeleteResponse)
	switch err := kerr.ErrorForCode(resp.ErrorCode); {
	case errors.Is(err, kerr.NonEmptyGroup):
		return &Error{Class: ErrGroupActive, Op: op, Err: err}
	case errors.Is(err, kerr.GroupIDNotFound):
		return nil // so it has none
	case err != nil:
		return s.RequestFailure(op, kmsg.OffsetDelete.Int16(), err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return &Error{Class: ErrPartial, Op: op, Err: fmt.Errorf("%w: %s/%d: %w", ErrPartial, t.Topic, p.Partition, err)}
			}
		}
	}
	return nil
}
