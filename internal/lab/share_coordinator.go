package lab

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// watchShareGroups follows what changes the delivery state of share groups.
func (l *Lab) watchShareGroups() {
	l.observe(kmsg.ShareFetch, func(req kmsg.Request) { l.watchFetch(req.(*kmsg.ShareFetchRequest)) })
	l.observe(kmsg.ShareAcknowledge, func(req kmsg.Request) { l.watchAcknowledge(req.(*kmsg.ShareAcknowledgeRequest)) })
	l.answer(kmsg.AlterShareGroupOffsets, func(req kmsg.Request) (kmsg.Response, error) {
		return l.alterOffsets(req.(*kmsg.AlterShareGroupOffsetsRequest))
	})
	l.answer(kmsg.DeleteShareGroupOffsets, func(req kmsg.Request) (kmsg.Response, error) {
		return l.deleteOffsets(req.(*kmsg.DeleteShareGroupOffsetsRequest))
	})
}

func (l *Lab) watchFetch(req *kmsg.ShareFetchRequest) {
	if req.GroupID == nil {
		return
	}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			for _, b := range p.AcknowledgementBatches {
				key := codec.ShareKey{Group: *req.GroupID, TopicID: t.TopicID, Partition: p.Partition}
				l.share.acknowledge(key, b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
			}
		}
	}
}

func (l *Lab) watchAcknowledge(req *kmsg.ShareAcknowledgeRequest) {
	if req.GroupID == nil {
		return
	}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			for _, b := range p.AcknowledgementBatches {
				key := codec.ShareKey{Group: *req.GroupID, TopicID: t.TopicID, Partition: p.Partition}
				l.share.acknowledge(key, b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
			}
		}
	}
}

// alterOffsets lets kfake move start offsets, which drops all delivery state.
func (l *Lab) alterOffsets(req *kmsg.AlterShareGroupOffsetsRequest) (kmsg.Response, error) {
	resp, err := l.forward(req, &req.UnknownTags)
	altered, ok := resp.(*kmsg.AlterShareGroupOffsetsResponse)
	if err != nil || !ok {
		return resp, err
	}
	for _, t := range altered.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode == 0 {
				l.share.forget(func(key codec.ShareKey) bool {
					return key == codec.ShareKey{Group: req.GroupID, TopicID: t.TopicID, Partition: p.Partition}
				})
			}
		}
	}
	return resp, nil
}

func (l *Lab) deleteOffsets(req *kmsg.DeleteShareGroupOffsetsRequest) (kmsg.Response, error) {
	resp, err := l.forward(req, &req.UnknownTags)
	deleted, ok := resp.(*kmsg.DeleteShareGroupOffsetsResponse)
	if err != nil || !ok {
		return resp, err
	}
	for _, t := range deleted.Topics {
		if t.ErrorCode == 0 {
			l.share.forget(func(key codec.ShareKey) bool { return key.Group == req.GroupID && key.TopicID == t.TopicID })
		}
	}
	return resp, nil
}

// shareStates are the states of a group's share partitions: start offsets and
// leader epochs as kfake tells them, deliveries as the lab saw them.
func (l *Lab) shareStates(group string) (map[codec.ShareKey]codec.ShareState, error) {
	resp, err := await(l, func(ctx context.Context) (*kmsg.DescribeShareGroupOffsetsResponse, error) {
		req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
		rg := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		rg.GroupID = group
		req.Groups = append(req.Groups, rg)
		return req.RequestWith(ctx, l.client)
	})
	if err != nil {
		return nil, err
	}
	states := make(map[codec.ShareKey]codec.ShareState)
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				key := codec.ShareKey{Group: group, TopicID: t.TopicID, Partition: p.Partition}
				states[key] = l.share.state(key, p.StartOffset, p.LeaderEpoch)
			}
		}
	}
	return states, nil
}

// answerShareState answers what kfake does not know, ReadShareGroupState and
// ReadShareGroupStateSummary, and lists both among the broker's API versions.
func (l *Lab) answerShareState(ctx context.Context) error {
	ask := kmsg.NewPtrApiVersionsRequest()
	ask.ClientSoftwareName, ask.ClientSoftwareVersion = ClientID, "1"
	known, err := ask.RequestWith(ctx, l.client)
	if err != nil {
		return err
	}
	latest := known.Version
	known.ApiKeys = append(known.ApiKeys,
		kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.ReadShareGroupState), MaxVersion: 0},
		kmsg.ApiVersionsResponseApiKey{ApiKey: int16(kmsg.ReadShareGroupStateSummary), MaxVersion: 1})
	l.answer(kmsg.ApiVersions, func(req kmsg.Request) (kmsg.Response, error) {
		if req.GetVersion() > latest {
			return nil, nil // kfake says which version it has
		}
		resp := *known
		resp.Version = req.GetVersion()
		return &resp, nil
	})
	l.answer(kmsg.ReadShareGroupState, func(req kmsg.Request) (kmsg.Response, error) {
		return l.readState(req.(*kmsg.ReadShareGroupStateRequest))
	})
	l.answer(kmsg.ReadShareGroupStateSummary, func(req kmsg.Request) (kmsg.Response, error) {
		return l.readSummary(req.(*kmsg.ReadShareGroupStateSummaryRequest))
	})
	return nil
}

// readState answers as Kafka's ShareCoordinatorShard does, but for one thing:
// a leader epoch above the partition's is not recorded.
func (l *Lab) readState(req *kmsg.ReadShareGroupStateRequest) (kmsg.Response, error) {
	states, err := l.shareStates(req.GroupID)
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind().(*kmsg.ReadShareGroupStateResponse)
	for _, t := range req.Topics {
		rt := kmsg.NewReadShareGroupStateResponseTopic()
		rt.TopicID = t.TopicID
		for _, p := range t.Partitions {
			s, ok := states[codec.ShareKey{Group: req.GroupID, TopicID: t.TopicID, Partition: p.Partition}]
			rp := kmsg.NewReadShareGroupStateResponseTopicPartition()
			rp.Partition = p.Partition
			switch {
			case !ok || s.StartOffset < 0:
				rp.ErrorCode = kerr.InvalidRequest.Code
			case p.LeaderEpoch < s.LeaderEpoch:
				rp.ErrorCode = kerr.FencedLeaderEpoch.Code
			default:
				rp.StartOffset, rp.StateEpoch = s.StartOffset, s.StateEpoch
				rp.StateBatches = batches(s.Batches)
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp, nil
}

func batches(deliveries []codec.Delivery) []kmsg.ReadShareGroupStateResponseTopicPartitionStateBatch {
	var out []kmsg.ReadShareGroupStateResponseTopicPartitionStateBatch
	for _, d := range deliveries {
		b := kmsg.NewReadShareGroupStateResponseTopicPartitionStateBatch()
		b.FirstOffset, b.LastOffset = d.Start, d.End-1
		b.DeliveryState, b.DeliveryCount = int8(d.State), d.Count
		out = append(out, b)
	}
	return out
}

func (l *Lab) readSummary(req *kmsg.ReadShareGroupStateSummaryRequest) (kmsg.Response, error) {
	states, err := l.shareStates(req.GroupID)
	if err != nil {
		return nil, err
	}
	resp := req.ResponseKind().(*kmsg.ReadShareGroupStateSummaryResponse)
	for _, t := range req.Topics {
		rt := kmsg.NewReadShareGroupStateSummaryResponseTopic()
		rt.TopicID = t.TopicID
		for _, p := range t.Partitions {
			s, ok := states[codec.ShareKey{Group: req.GroupID, TopicID: t.TopicID, Partition: p.Partition}]
			if !ok {
				s = codec.ShareState{StartOffset: -1, DeliveryComplete: -1}
			}
			rp := kmsg.NewReadShareGroupStateSummaryResponseTopicPartition()
			rp.Partition, rp.StateEpoch, rp.LeaderEpoch = p.Partition, s.StateEpoch, s.LeaderEpoch
			rp.StartOffset, rp.DeliveryCompleteCount = s.StartOffset, s.DeliveryComplete
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp, nil
}
