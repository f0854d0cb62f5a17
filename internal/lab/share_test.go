package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// readShareState is the answer of ReadShareGroupState and its summary for the
// sample, by way of the share coordinator, as text.
func readShareState(t *testing.T, l *Lab) string {
	t.Helper()
	client := dial(t, l)
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), "emails")
	if err != nil {
		t.Fatal(err)
	}
	id := topics["emails"].ID
	sp := kmsg.NewReadShareGroupStateSummaryRequestTopicPartition()
	st := kmsg.NewReadShareGroupStateSummaryRequestTopic()
	st.TopicID, st.Partitions = id, append(st.Partitions, sp)
	summary := kmsg.NewPtrReadShareGroupStateSummaryRequest()
	summary.GroupID, summary.Topics = shareGroup, append(summary.Topics, st)
	answer, err := client.Broker(0).Request(t.Context(), summary)
	if err != nil {
		t.Fatal(err)
	}
	s := answer.(*kmsg.ReadShareGroupStateSummaryResponse).Topics[0].Partitions[0]
	resp := readState(t, client, id, s.LeaderEpoch)
	var out strings.Builder
	fmt.Fprintf(&out, "start %d complete %d:", resp.StartOffset, s.DeliveryCompleteCount)
	for _, b := range resp.StateBatches {
		fmt.Fprintf(&out, " %d-%d=%d/%d", b.FirstOffset, b.LastOffset, b.DeliveryState, b.DeliveryCount)
	}
	return out.String()
}

func readState(t *testing.T, client *kgo.Client, id kadm.TopicID, leaderEpoch int32) kmsg.ReadShareGroupStateResponseTopicPartition {
	t.Helper()
	p := kmsg.NewReadShareGroupStateRequestTopicPartition()
	p.LeaderEpoch = leaderEpoch
	rt := kmsg.NewReadShareGroupStateRequestTopic()
	rt.TopicID, rt.Partitions = id, append(rt.Partitions, p)
	req := kmsg.NewPtrReadShareGroupStateRequest()
	req.GroupID, req.Topics = shareGroup, append(req.Topics, rt)
	answer, err := client.Broker(0).Request(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return answer.(*kmsg.ReadShareGroupStateResponse).Topics[0].Partitions[0]
}

func TestShareSample(t *testing.T) {
	l := start(t, Options{})
	const want = "start 13 complete 25: 13-13=0/4 14-14=0/3 15-20=2/1 21-21=4/1 22-29=2/1 30-30=4/2 31-39=2/1"
	if got := readShareState(t, l); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	client := dial(t, l)
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), "emails")
	if err != nil {
		t.Fatal(err)
	}
	if got := readState(t, client, topics["emails"].ID, -1).ErrorCode; got != kerr.FencedLeaderEpoch.Code {
		t.Errorf("leader epoch -1: error %v", kerr.ErrorForCode(got))
	}
	if got := readState(t, client, kadm.TopicID{1}, 0).ErrorCode; got != kerr.InvalidRequest.Code {
		t.Errorf("unknown topic: error %v", kerr.ErrorForCode(got))
	}
}

func TestShareStateFollowsAcknowledgements(t *testing.T) {
	l := start(t, Options{})
	client := dial(t, l)
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), "emails")
	if err != nil {
		t.Fatal(err)
	}
	m := &shareMember{seeder: &seeder{client: client, ids: map[string][16]byte{"emails": topics["emails"].ID}}, topic: "emails", id: "another"}
	if err := m.heartbeat(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	// Seven records to have: 13, 14 and 40 to 44.
	acks := []ack{{13, 13, ackReject}, {14, 14, ackRelease}, {40, 40, ackRelease}, {41, 43, ackAccept}, {44, 44, ackReject}}
	if err := m.work(t.Context(), 7, acks); err != nil {
		t.Fatal(err)
	}
	const want = "start 14 complete 29: 14-14=0/4 15-20=2/1 21-21=4/1 22-29=2/1 30-30=4/2 31-39=2/1 40-40=0/1 41-43=2/1 44-44=4/1"
	if got := readShareState(t, l); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestShareStateFollowsConsumers has a real share consumer finish what the
// sample left. It releases 13 with its fifth delivery, which is the limit.
func TestShareStateFollowsConsumers(t *testing.T) {
	l := start(t, Options{})
	client := dial(t, l, kgo.ShareGroup(shareGroup), kgo.ConsumeTopics("emails"), kgo.ShareMaxRecords(100))
	for left := 22; left > 0; {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			if r.Offset == 13 {
				r.Ack(kgo.AckRelease)
			} else {
				r.Ack(kgo.AckAccept)
			}
		})
	}
	if err := client.FlushAcks(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := readShareState(t, l), "start 60 complete 0:"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAcknowledgementsThatCanNotBeAreIgnored(t *testing.T) {
	d, err := loadDeliveries("")
	if err != nil {
		t.Fatal(err)
	}
	key := codec.ShareKey{Group: "g"}
	d.acknowledge(key, 0, 1<<62, []int8{ackAccept})
	d.acknowledge(key, -5, 3, []int8{ackAccept})
	d.acknowledge(key, 3, 2, []int8{ackAccept})
	d.acknowledge(key, 0, 2, nil)
	if got := d.state(key, 0, 0); len(got.Batches) != 0 {
		t.Errorf("batches %v", got.Batches)
	}
	d.acknowledge(key, 0, 3, []int8{ackAccept, ackReject, ackRelease, 4})
	d.acknowledge(key, 0, 0, []int8{ackReject}) // accepted already
	want := []codec.Delivery{
		{Range: codec.Range{Start: 0, End: 1}, State: codec.Acknowledged, Count: 1},
		{Range: codec.Range{Start: 1, End: 2}, State: codec.Archived, Count: 1},
		{Range: codec.Range{Start: 2, End: 3}, State: codec.Available, Count: 1},
	}
	if got := d.state(key, 0, 0).Batches; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAlterShareOffsetsDropsDeliveries(t *testing.T) {
	l := start(t, Options{})
	client := dial(t, l)
	p := kmsg.NewAlterShareGroupOffsetsRequestTopicPartition()
	p.StartOffset = 10
	at := kmsg.NewAlterShareGroupOffsetsRequestTopic()
	at.Topic, at.Partitions = "emails", append(at.Partitions, p)
	req := kmsg.NewPtrAlterShareGroupOffsetsRequest()
	req.GroupID, req.Topics = shareGroup, append(req.Topics, at)
	resp, err := req.RequestWith(t.Context(), client)
	if err != nil || resp.ErrorCode != 0 || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatalf("%+v, error %v", resp, err)
	}
	if got, want := readShareState(t, l), "start 10 complete 0:"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
