package gapstore

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// DeleteShareOffsets deletes what a share group keeps of whole topics: the start
// offsets and the state of every record's deliveries. As with
// [Store.AlterShareOffsets], the coordinator refuses a group with members. The errors are those of the topics that were refused, by name.
func (s *Store) DeleteShareOffsets(ctx context.Context, group string, topics []string) (map[string]error, error) {
	req := kmsg.NewPtrDeleteShareGroupOffsetsRequest()
	req.GroupID = group
	for _, topic := range topics {
		t := kmsg.NewDeleteShareGroupOffsetsRequestTopic()
		t.Topic = topic
		req.Topics = append(req.Topics, t)
	}
	op := "delete offsets of share group " + group
	kresp, err := s.alter(ctx, op, req)
	if err != nil {
		return nil, err
	}
	resp := kresp.(*kmsg.DeleteShareGroupOffsetsResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		if errors.Is(err, kerr.NonEmptyGroup) {
			return nil, &Error{Class: ErrGroupActive, Op: op, Err: err}
		}
		return nil, s.RequestFailure(op, kmsg.DeleteShareGroupOffsets.Int16(), err)
	}
	refused := map[string]error{}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			refused[t.Topic] = s.Failure(op, err)
		}
	}
	return refused, nil
}
