package lab

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shareMember is a member of the share group while the samples are made. It
// speaks the consumer's requests itself, one at a time, so that what it gets
// does not depend on timing.
type shareMember struct {
	*seeder
	topic string
	id    string
	epoch int32 // of the share session
}

// ack is the end of one delivery of the offsets from first to last, both
// included.
type ack struct {
	first, last int64
	kind        int8
}

// deliverEmails has a member of the share group work on the topic: of the first
// 40 records most are accepted, 21 is rejected at once and 30 in the end, and
// 13 and 14 come back again and again; 40 and later are never fetched.
func (s *seeder) deliverEmails(ctx context.Context) error {
	m := &shareMember{seeder: s, topic: "emails", id: "email-sender-1"}
	if err := m.reset(ctx); err != nil {
		return err
	}
	if err := m.heartbeat(ctx, 0); err != nil {
		return err
	}
	for _, round := range []struct {
		fetch int32
		acks  []ack
	}{
		{40, []ack{{0, 11, ackAccept}, {12, 14, ackRelease}, {15, 20, ackAccept}, {21, 21, ackReject},
			{22, 29, ackAccept}, {30, 30, ackRelease}, {31, 39, ackAccept}}},
		{4, []ack{{12, 12, ackAccept}, {13, 14, ackRelease}, {30, 30, ackReject}}},
		{2, []ack{{13, 14, ackRelease}}},
		{1, []ack{{13, 13, ackRelease}}},
	} {
		if err := m.work(ctx, round.fetch, round.acks); err != nil {
			return err
		}
	}
	return m.heartbeat(ctx, -1)
}

// reset starts the group at the beginning of the log.
func (m *shareMember) reset(ctx context.Context) error {
	p := kmsg.NewAlterShareGroupOffsetsRequestTopicPartition()
	t := kmsg.NewAlterShareGroupOffsetsRequestTopic()
	t.Topic = m.topic
	t.Partitions = append(t.Partitions, p)
	req := kmsg.NewPtrAlterShareGroupOffsetsRequest()
	req.GroupID = shareGroup
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, m.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// heartbeat joins with epoch 0 and leaves with epoch -1.
func (m *shareMember) heartbeat(ctx context.Context, epoch int32) error {
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = shareGroup, m.id, epoch
	req.SubscribedTopicNames = []string{m.topic}
	resp, err := req.RequestWith(ctx, m.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// work fetches exactly n records and acknowledges them.
func (m *shareMember) work(ctx context.Context, n int32, acks []ack) error {
	if err := m.fetch(ctx, n); err != nil {
		return err
	}
	p := kmsg.NewShareAcknowledgeRequestTopicPartition()
	for _, a := range acks {
		b := kmsg.NewShareAcknowledgeRequestTopicPartitionAcknowledgementBatch()
		b.FirstOffset, b.LastOffset, b.AcknowledgeTypes = a.first, a.last, []int8{a.kind}
		p.AcknowledgementBatches = append(p.AcknowledgementBatches, b)
	}
	t := kmsg.NewShareAcknowledgeRequestTopic()
	t.TopicID = m.ids[m.topic]
	t.Partitions = append(t.Partitions, p)
	req := kmsg.NewPtrShareAcknowledgeRequest()
	group := shareGroup
	req.GroupID, req.MemberID, req.ShareSessionEpoch = &group, &m.id, m.epoch
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, m.client)
	if err != nil {
		return err
	}
	m.epoch++
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

func (m *shareMember) fetch(ctx context.Context, n int32) error {
	p := kmsg.NewShareFetchRequestTopicPartition()
	t := kmsg.NewShareFetchRequestTopic()
	t.TopicID = m.ids[m.topic]
	t.Partitions = append(t.Partitions, p)
	req := kmsg.NewPtrShareFetchRequest()
	group := shareGroup
	req.GroupID, req.MemberID, req.ShareSessionEpoch = &group, &m.id, m.epoch
	req.MaxBytes, req.MaxRecords, req.BatchSize = 1<<20, n, n
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, m.client)
	if err != nil {
		return err
	}
	m.epoch++
	return kerr.ErrorForCode(resp.ErrorCode)
}
