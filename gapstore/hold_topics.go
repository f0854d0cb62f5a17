package gapstore

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// learnTopics asks for the IDs of the topics, and refuses now what brokers
// would refuse later for one partition of a commit and not for the others.
func (h *Hold) learnTopics(ctx context.Context) error {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	for topic := range h.member.parts {
		rt := kmsg.NewMetadataRequestTopic()
		rt.Topic = kmsg.StringPtr(topic)
		req.Topics = append(req.Topics, rt)
	}
	resp, err := req.RequestWith(ctx, h.cl)
	if err != nil {
		return h.failure("read topics of group "+h.member.group, err)
	}
	h.topicIDs = make(map[string][16]byte, len(resp.Topics))
	for _, t := range resp.Topics {
		topic := deref(t.Topic)
		h.topicIDs[topic] = t.TopicID
		if err := writableTopic(t, h.member.parts[topic]); err != nil {
			return h.failure("hold topic "+topic, err)
		}
	}
	return nil
}

func writableTopic(t kmsg.MetadataResponseTopic, parts []int32) error {
	if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
		return err
	}
	const read, notTold = 1 << 3, math.MinInt32 // KIP-430: a bit per AclOperation
	if t.AuthorizedOperations != notTold && t.AuthorizedOperations&read == 0 {
		return kerr.TopicAuthorizationFailed
	}
	for _, p := range parts {
		if !slices.ContainsFunc(t.Partitions, func(have kmsg.MetadataResponseTopicPartition) bool { return have.Partition == p }) {
			return fmt.Errorf("partition %d: %w", p, kerr.UnknownTopicOrPartition)
		}
	}
	return nil
}

// covers reports whether the hold has assigned itself the partition.
func (h *Hold) covers(topic string, partition int32) bool {
	_, ok := slices.BinarySearch(h.member.parts[topic], partition)
	return ok
}
