package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// seeder makes the samples.
type seeder struct {
	addr   string
	client *kgo.Client
	now    time.Time
	topics map[string]topic
	ids    map[string][16]byte // of the topics
}

func seed(ctx context.Context, addr string, now time.Time) error {
	client, err := kgo.NewClient(clientOptions(addr, ClientID)...)
	if err != nil {
		return err
	}
	defer client.Close()
	s := &seeder{addr: addr, client: client, now: now, topics: make(map[string]topic), ids: make(map[string][16]byte)}
	if err := s.fill(ctx, topics()); err != nil {
		return err
	}
	for _, g := range samples(s.now) {
		if err := s.group(ctx, g); err != nil {
			return fmt.Errorf("sample %s: %w", g.Name, err)
		}
	}
	return nil
}

// fill creates the topics and their logs.
func (s *seeder) fill(ctx context.Context, topics []topic) error {
	admin := kadm.NewClient(s.client)
	var records []*kgo.Record
	starts := make(kadm.Offsets)
	for _, t := range topics {
		created, err := admin.CreateTopic(ctx, int32(len(t.ends)), 1, nil, t.name)
		if err != nil {
			return fmt.Errorf("topic %s: %w", t.name, err)
		}
		s.topics[t.name], s.ids[t.name] = t, created.ID
		for partition, end := range t.ends {
			for offset := range end {
				records = append(records, t.record(int32(partition), offset, end, s.now))
			}
			if t.start > 0 {
				starts.AddOffset(t.name, int32(partition), t.start, -1)
			}
		}
	}
	if err := s.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	deleted, err := admin.DeleteRecords(ctx, starts)
	return errors.Join(err, deleted.Error())
}

// records are those from start up to end, exclusive, of a topic with one
// partition whose log will end at logEnd.
func (s *seeder) records(topic string, start, end, logEnd int64) []*kgo.Record {
	var out []*kgo.Record
	for offset := start; offset < end; offset++ {
		out = append(out, s.topics[topic].record(0, offset, logEnd, s.now))
	}
	return out
}

func (s *seeder) group(ctx context.Context, g sample) error {
	if g.prepare != nil {
		if err := g.prepare(s, ctx); err != nil {
			return err
		}
	}
	if len(g.commits) == 0 {
		return nil
	}
	if err := errors.Join(s.native(ctx, g.Name, g.commits), s.commit(ctx, g.Name, g.commits)); err != nil {
		return err
	}
	if g.consumer {
		return s.upgrade(ctx, g.Name, g.commits[0].topic)
	}
	return nil
}

// commit commits from outside, which a group without members allows.
func (s *seeder) commit(ctx context.Context, group string, commits []commit) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = group, -1
	for _, c := range commits {
		if c.slot > 0 {
			continue
		}
		offset, metadata, err := c.encode()
		if err != nil {
			return fmt.Errorf("%s/%d: %w", c.topic, c.partition, err)
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = c.partition, offset, &metadata
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != c.topic {
			t := kmsg.NewOffsetCommitRequestTopic()
			t.Topic, t.TopicID = c.topic, s.ids[c.topic]
			req.Topics = append(req.Topics, t)
		}
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, p)
	}
	resp, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return fmt.Errorf("commit partition %d: %w", p.Partition, err)
			}
		}
	}
	return nil
}

// encode is the offset and the metadata to commit.
func (c commit) encode() (int64, string, error) {
	if c.format == "" || c.format == nativeFormat {
		return c.stable, c.metadata, nil
	}
	gaps, err := codec.ParseRanges(c.gaps)
	if err != nil {
		return 0, "", err
	}
	e, err := codec.Encode(codec.State{Stable: c.stable, Max: c.max, Gaps: gaps}, c.format, "")
	return e.Committed, e.Metadata, err
}

// upgrade has a consumer of the new protocol join and leave the empty group,
// which is how a group is converted (KIP-848).
func (s *seeder) upgrade(ctx context.Context, group, topic string) error {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID = group, group+"-upgrade"
	req.RebalanceTimeoutMillis = 45000
	req.SubscribedTopicNames = []string{topic}
	req.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{} // owns none, which null would not say
	for _, epoch := range []int32{0, -1} {
		req.MemberEpoch = epoch
		resp, err := req.RequestWith(ctx, s.client)
		if err != nil {
			return err
		}
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return err
		}
	}
	return nil
}
