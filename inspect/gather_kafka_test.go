package inspect

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// What the real Parallel Consumer left unprocessed is what is outstanding,
// offset by offset, in each of its modes.
func TestKafkaParallelConsumer(t *testing.T) {
	broker := kafkatest.Shared(t)
	for name, opts := range map[string]kafkatest.PCOptions{
		"unordered":   {Order: "unordered"},
		"key":         {Order: "key"},
		"transaction": {Commit: "transaction"},
	} {
		t.Run(name, func(t *testing.T) {
			const partitions, records = 2, 200
			topic := "pc-" + name
			broker.CreateTopic(topic, partitions, nil)
			if name == "transaction" {
				opts.Output = topic + "-out"
				broker.CreateTopic(opts.Output, 1, nil)
			}
			begin := time.Now()
			broker.Fill(topic, partitions, records)
			opts.Group, opts.Topics, opts.Fail = "pc-"+name, []string{topic}, kafkatest.Every(37)
			did := broker.RunPC(opts)
			s := gatherKafka(t, broker, Query{Groups: []string{opts.Group}})
			g := group(t, s, opts.Group)
			if g.Err != nil || len(g.Partitions) != partitions || len(s.Notices) > 0 {
				t.Fatalf("%+v, notices %q", g, s.Notices)
			}
			for i := range g.Partitions {
				p := &g.Partitions[i]
				processed := did.Processed[kafkatest.TopicPartition{Topic: topic, Partition: p.Partition}]
				left := int64(0)
				for offset := range int64(records) {
					_, done := slices.BinarySearch(processed, offset)
					if p.State.Completed(offset) != done {
						t.Errorf("%v: offset %d completed: %t, processed: %t", p.Key, offset, !done, done)
					}
					if !done {
						left++
					}
				}
				if p.Err != nil || p.TrueLag() != left || p.LogEnd != records || p.Format != "parallel-consumer" || len(p.Findings) > 0 {
					t.Errorf("true lag %d, want %d: %+v", p.TrueLag(), left, p)
				}
				if p.OldestGapAt.Before(begin.Add(-time.Second)) || p.OldestGapAt.After(time.Now()) {
					t.Errorf("oldest gap at %v, but it was written after %v", p.OldestGapAt, begin)
				}
			}
		})
	}
}

func gatherKafka(t testing.TB, broker *kafkatest.Broker, q Query) Snapshot {
	t.Helper()
	s, err := gatherOnce(t.Context(), dialer(broker.Addr()), q)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A group of the new protocol (KIP-848), with its member and when it is empty.
func TestKafkaNewProtocol(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "kip848", "kip848-group"
	broker.CreateTopic(topic, 1, nil)
	broker.Fill(topic, 1, 20)
	client := broker.Client()
	beat := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	beat.Group, beat.MemberID, beat.MemberEpoch, beat.RebalanceTimeoutMillis = name, "member-of-848-------", 0, 60_000
	beat.SubscribedTopicNames, beat.Topics = []string{topic}, []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	joined, err := beat.RequestWith(t.Context(), client)
	if err != nil || joined.ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(joined.ErrorCode))
	}
	gaps, err := codec.ParseRanges("3-4,9")
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := codec.Encode(codec.State{Stable: 3, Max: 15, Gaps: gaps}, "parallel-consumer", "")
	if err != nil {
		t.Fatal(err)
	}
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	commit := kmsg.NewPtrOffsetCommitRequest()
	commit.Group, commit.MemberID, commit.Generation = name, *joined.MemberID, joined.MemberEpoch
	ct := kmsg.NewOffsetCommitRequestTopic()
	ct.Topic, ct.TopicID = topic, topics[topic].ID
	cp := kmsg.NewOffsetCommitRequestTopicPartition()
	cp.Offset, cp.Metadata = encoded.Committed, &encoded.Metadata
	ct.Partitions = append(ct.Partitions, cp)
	commit.Topics = append(commit.Topics, ct)
	committed, err := commit.RequestWith(t.Context(), client)
	if err != nil || committed.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(committed.Topics[0].Partitions[0].ErrorCode))
	}
	want := func(members int, state string) {
		t.Helper()
		g := group(t, gatherKafka(t, broker, Query{All: true}), name)
		if g.Type != "consumer" || g.State != state || len(g.Members) != members || g.Sums().Outstanding != 3 || g.Sums().TrueLag != 8 {
			t.Errorf("%+v, outstanding %d, true lag %d; want %d members, %s, 3 and 8", g, g.Sums().Outstanding, g.Sums().TrueLag, members, state)
		}
	}
	want(1, "Stable")
	beat.MemberID, beat.MemberEpoch = *joined.MemberID, -1
	if left, err := beat.RequestWith(t.Context(), client); err != nil || left.ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(left.ErrorCode))
	}
	want(0, "Empty")
}

func TestKafkaShareGroup(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "share-inspect", "share-inspectors"
	broker.CreateTopic(topic, 1, nil)
	broker.Fill(topic, 1, 30)
	broker.RunShare(kafkatest.ShareOptions{
		Group: name, Topics: []string{topic}, UntilCovered: true,
		Reject: kafkatest.EveryPlus(5, 2), Release: kafkatest.EveryPlus(7, 3),
	})
	g := group(t, gatherKafka(t, broker, Query{Groups: []string{name}}), name)
	if g.Err != nil || g.Type != "share" || g.DeliveryLimit != 5 || len(g.Partitions) != 1 {
		t.Fatalf("%+v", g)
	}
	// 3, 10 and 24 were released; 17 is rejected, as are 2, 7, 12, 22 and 27. The
	// start offset advances lazily.
	p := &g.Partitions[0]
	if p.State.Gaps.String() != "3,10,24" || p.TrueLag() != 3 || p.ReportedLag != 3 || p.OldestGapAt.IsZero() {
		t.Errorf("gaps %v, true lag %d, reported %d, oldest at %v", p.State.Gaps, p.TrueLag(), p.ReportedLag, p.OldestGapAt)
	}
	i := slices.IndexFunc(p.Findings, func(f Finding) bool { return f.Kind == "rejected" })
	all, err := codec.ParseRanges("2,7,12,17,22,27")
	if err != nil {
		t.Fatal(err)
	}
	if from := (codec.Range{Start: p.Committed, End: 30}); i < 0 || !p.Findings[i].Ranges.Equal(all.Clip(from)) {
		t.Errorf("findings %+v, want the rejected ones from the start offset %d on", p.Findings, p.Committed)
	}
}

// A commit that an open transaction is about to change is told as it is now.
func TestKafkaPendingCommit(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "pending", "pending-group"
	broker.CreateTopic(topic, 1, nil)
	client := broker.Client(kgo.TransactionalID("pending-tx"))
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, At: 4, LeaderEpoch: -1})
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), name, offsets); err != nil {
		t.Fatal(err)
	}
	beginOffsets(t, client, "pending-tx", name, topic, 9)
	p := &group(t, gatherKafka(t, broker, Query{Groups: []string{name}}), name).Partitions[0]
	if p.Committed != 4 || !p.Pending || kinds(p) != "beyond-log-end open-transaction" {
		t.Errorf("committed %d, pending %t, findings %q; want 4 as long as 9 is pending", p.Committed, p.Pending, kinds(p))
	}
	end := kmsg.NewPtrEndTxnRequest()
	id, epoch, err := client.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = "pending-tx", id, epoch, true
	if resp, err := end.RequestWith(t.Context(), client); err != nil || resp.ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(resp.ErrorCode))
	}
	deadline := time.Now().Add(20 * time.Second)
	for p.Pending || p.Committed != 9 {
		if time.Now().After(deadline) {
			t.Fatalf("committed %d, pending %t after the transaction ended", p.Committed, p.Pending)
		}
		p = &group(t, gatherKafka(t, broker, Query{Groups: []string{name}}), name).Partitions[0]
	}
}

// beginOffsets starts a transaction that commits an offset, and leaves it open.
func beginOffsets(t *testing.T, client *kgo.Client, transaction, name, topic string, offset int64) {
	t.Helper()
	id, epoch, err := client.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = transaction, id, epoch, name
	if resp, err := add.RequestWith(t.Context(), client); err != nil || resp.ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(resp.ErrorCode))
	}
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.ProducerID, commit.ProducerEpoch, commit.Group, commit.Generation = transaction, id, epoch, name, -1
	ct := kmsg.NewTxnOffsetCommitRequestTopic()
	ct.Topic, ct.TopicID = topic, topics[topic].ID
	cp := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	cp.Offset = offset
	ct.Partitions = append(ct.Partitions, cp)
	commit.Topics = append(commit.Topics, ct)
	if resp, err := commit.RequestWith(t.Context(), client); err != nil || resp.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode))
	}
}
