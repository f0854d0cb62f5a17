package gapstore

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The share group of the golden data, which a real broker wrote.
const goldenGroup, goldenTopic = "share-billing", "payments"

func goldenID() [16]byte {
	return [16]byte{0xa1, 0xbd, 0x1e, 0x8b, 0x45, 0x02, 0x47, 0xc0, 0x81, 0xa1, 0x55, 0xff, 0xed, 0x73, 0xe7, 0x75}
}

// goldenStates are the real broker's answers to ReadShareGroupState.
func goldenStates(t testing.TB) []kmsg.ReadShareGroupStateResponseTopicPartition {
	t.Helper()
	var states []kmsg.ReadShareGroupStateResponseTopicPartition
	file, err := os.Open("../testdata/golden/kafka-4.4/share-billing.read_share_group_state.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var p kmsg.ReadShareGroupStateResponseTopicPartition
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		states = append(states, p)
	}
	return states
}

// shareCoordinator stands in for what kfake lacks. It keeps to Kafka's rules
// for leader epochs, and records when a request broke them.
type shareCoordinator struct {
	c        *kfake.Cluster
	states   []kmsg.ReadShareGroupStateResponseTopicPartition
	summary  int32 // the epoch in the state
	fence    int32 // the highest ever seen
	denied   bool
	mu       sync.Mutex
	written  []int32 // epochs above the fence that somebody asked with
	readWith []int32
	finds    int
	moved    int // NOT_COORDINATOR for so many reads
}

func startShareCoordinator(t testing.TB) (*Store, *shareCoordinator) {
	t.Helper()
	c := fakeCluster(t, goldenTopic)
	for range 9 { // the leader has moved that often: its epoch is 9
		if err := c.MoveTopicPartition(goldenTopic, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	k := &shareCoordinator{c: c, states: goldenStates(t)}
	client, err := dialTo(c.ListenAddrs()...)()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	known, err := kmsg.NewPtrApiVersionsRequest().RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	known.ApiKeys = append(known.ApiKeys,
		kmsg.ApiVersionsResponseApiKey{ApiKey: kmsg.ReadShareGroupState.Int16()},
		kmsg.ApiVersionsResponseApiKey{ApiKey: kmsg.ReadShareGroupStateSummary.Int16(), MaxVersion: 1})
	k.answer(kmsg.ApiVersions, func(req kmsg.Request) kmsg.Response {
		resp := *known
		resp.Version = req.GetVersion()
		return &resp
	})
	k.answer(kmsg.DescribeShareGroupOffsets, k.describe)
	k.answer(kmsg.FindCoordinator, k.find)
	k.answer(kmsg.ReadShareGroupStateSummary, k.summarize)
	k.answer(kmsg.ReadShareGroupState, k.read)
	return openStore(t, c.ListenAddrs()...), k
}

// answer answers every request of a kind; nil leaves it to kfake.
func (k *shareCoordinator) answer(key kmsg.Key, fn func(kmsg.Request) kmsg.Response) {
	k.c.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		k.c.KeepControl()
		k.mu.Lock()
		defer k.mu.Unlock()
		resp := fn(req)
		return resp, nil, resp != nil
	})
}

func (k *shareCoordinator) describe(kreq kmsg.Request) kmsg.Response {
	resp := kreq.ResponseKind().(*kmsg.DescribeShareGroupOffsetsResponse)
	for _, g := range kreq.(*kmsg.DescribeShareGroupOffsetsRequest).Groups {
		rg := kmsg.NewDescribeShareGroupOffsetsResponseGroup()
		rg.GroupID = g.GroupID
		rt := kmsg.NewDescribeShareGroupOffsetsResponseGroupTopic()
		rt.Topic, rt.TopicID = goldenTopic, goldenID()
		for _, state := range k.states {
			rp := kmsg.NewDescribeShareGroupOffsetsResponseGroupTopicPartition()
			rp.Partition, rp.StartOffset, rp.LeaderEpoch, rp.Lag = state.Partition, state.StartOffset, k.summary, 40
			rt.Partitions = append(rt.Partitions, rp)
		}
		rg.Topics = append(rg.Topics, rt)
		resp.Groups = append(resp.Groups, rg)
	}
	return resp
}

func (k *shareCoordinator) find(kreq kmsg.Request) kmsg.Response {
	req := kreq.(*kmsg.FindCoordinatorRequest)
	if req.CoordinatorType != kindShareCoordinator {
		return nil
	}
	k.finds++
	resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
	for _, key := range req.CoordinatorKeys {
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.NodeID = key, 0
		if k.denied {
			c.NodeID, c.ErrorCode = -1, kerr.ClusterAuthorizationFailed.Code
		}
		resp.Coordinators = append(resp.Coordinators, c)
	}
	return resp
}

func (k *shareCoordinator) summarize(kreq kmsg.Request) kmsg.Response {
	resp := kreq.ResponseKind().(*kmsg.ReadShareGroupStateSummaryResponse)
	for _, t := range kreq.(*kmsg.ReadShareGroupStateSummaryRequest).Topics {
		rt := kmsg.NewReadShareGroupStateSummaryResponseTopic()
		rt.TopicID = t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewReadShareGroupStateSummaryResponseTopicPartition()
			rp.Partition, rp.LeaderEpoch = p.Partition, k.summary
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp
}

func (k *shareCoordinator) read(kreq kmsg.Request) kmsg.Response {
	resp := kreq.ResponseKind().(*kmsg.ReadShareGroupStateResponse)
	for _, t := range kreq.(*kmsg.ReadShareGroupStateRequest).Topics {
		rt := kmsg.NewReadShareGroupStateResponseTopic()
		rt.TopicID = t.TopicID
		for _, p := range t.Partitions {
			k.readWith = append(k.readWith, p.LeaderEpoch)
			rp := k.states[p.Partition]
			switch {
			case k.moved > 0:
				k.moved--
				rp = kmsg.ReadShareGroupStateResponseTopicPartition{Partition: p.Partition, ErrorCode: kerr.NotCoordinator.Code}
			case p.LeaderEpoch < k.fence:
				rp = kmsg.ReadShareGroupStateResponseTopicPartition{Partition: p.Partition, ErrorCode: kerr.FencedLeaderEpoch.Code}
			case p.LeaderEpoch > k.fence:
				k.written = append(k.written, p.LeaderEpoch)
			}
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp
}

// one keeps the golden group's first partition only.
func (k *shareCoordinator) one() { k.states = k.states[:1] }
