package cmd

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// consumerGroup has a member of the consumer protocol come and go, and commits
// for the group then.
func (s *brokerScene) consumerGroup(group, topic string) {
	s.t.Helper()
	client, err := s.dial(kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
		kgo.ServerSideBalancer(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	err = client.PollFetches(ctx).Err()
	client.Close()
	if err != nil {
		s.t.Fatal(err)
	}
	s.gapCommit(group, topic)
}

// shareGroup has a share group see each record once: 2 is rejected, 0, 7 and 14
// are released, and all others accepted.
func (s *brokerScene) shareGroup(group, topic string) {
	s.t.Helper()
	s.fromEarliest(group)
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	client := s.client(kgo.ShareGroup(group), kgo.ConsumeTopics(topic), kgo.ShareMaxRecords(100))
	type at struct {
		partition int32
		offset    int64
	}
	for seen := map[at]bool{}; len(seen) < scenePartitions*sceneRecords; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			s.t.Fatalf("%d records of %s: %v", len(seen), topic, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			seen[at{r.Partition, r.Offset}] = true
			switch {
			case r.Offset == 2:
				r.Ack(kgo.AckReject)
			case r.Offset%7 == 0:
				r.Ack(kgo.AckRelease)
			default:
				r.Ack(kgo.AckAccept)
			}
		})
		if err := client.FlushAcks(ctx); err != nil {
			s.t.Fatal(err)
		}
	}
	client.Close()
}

// fromEarliest has a share group begin at the start of its logs.
func (s *brokerScene) fromEarliest(group string) {
	s.t.Helper()
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = "share.auto.offset.reset", kmsg.StringPtr("earliest")
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	resource.Configs = append(resource.Configs, config)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, resource)
	resp, err := req.RequestWith(s.t.Context(), s.client())
	if err == nil {
		err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
