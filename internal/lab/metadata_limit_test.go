package lab

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// limitCommits has partition 1 of payments at the limit in UTF-16 units (7,168
// bytes of UTF-8), and partition 0 one above it.
func limitCommits() kadm.Offsets {
	offsets := make(kadm.Offsets)
	offsets.Add(kadm.Offset{Topic: "payments", Partition: 0, At: 1, LeaderEpoch: -1, Metadata: strings.Repeat("x", MetadataLimit+1)})
	offsets.Add(kadm.Offset{Topic: "payments", Partition: 1, At: 2, LeaderEpoch: -1, Metadata: strings.Repeat("\u00e9\U0001f600x", MetadataLimit/4)})
	offsets.Add(kadm.Offset{Topic: "orders", Partition: 0, At: 3, LeaderEpoch: -1, Metadata: "short"})
	return offsets
}

func TestCommitAboveLimitIsRefused(t *testing.T) {
	admin := kadm.NewClient(dial(t, start(t, Options{})))
	answers, err := admin.CommitOffsets(t.Context(), "limit", limitCommits())
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := answers.Lookup("payments", 0); !errors.Is(a.Err, kerr.OffsetMetadataTooLarge) {
		t.Errorf("above the limit: %v", a.Err)
	}
	checkLimitCommits(t, admin)
	if err := admin.CommitAllOffsets(t.Context(), "limit", short()); err != nil {
		t.Errorf("a refused partition can not be committed again: %v", err)
	}
}

func short() kadm.Offsets {
	offsets := make(kadm.Offsets)
	offsets.AddOffset("payments", 0, 4, -1)
	return offsets
}

func TestTransactionalCommitAboveLimitIsRefused(t *testing.T) {
	l := start(t, Options{})
	client, err := gapstore.NewProducer(func(extra ...kgo.Opt) (*kgo.Client, error) { return dial(t, l, extra...), nil }, kgo.TransactionalID("limit"))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	admin := kadm.NewClient(client.Client)
	if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "stock", Value: []byte("x")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	id, epoch, err := client.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp := txnCommit(t, client.Client, id, epoch, limitCommits())
	for _, topic := range resp.Topics {
		for _, p := range topic.Partitions {
			refused := p.ErrorCode == kerr.OffsetMetadataTooLarge.Code
			if want := topic.Topic == "payments" && p.Partition == 0; refused != want {
				t.Errorf("%s/%d: %v", topic.Topic, p.Partition, kerr.ErrorForCode(p.ErrorCode))
			}
		}
	}
	if err := client.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	checkLimitCommits(t, admin)
}

func checkLimitCommits(t *testing.T, admin *kadm.Client) {
	t.Helper()
	got, err := admin.FetchOffsets(t.Context(), "limit")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := got.Lookup("payments", 0); ok {
		t.Error("metadata above the limit was committed")
	}
	if o, _ := got.Lookup("payments", 1); o.At != 2 {
		t.Error("metadata at the limit was not committed")
	}
	if o, _ := got.Lookup("orders", 0); o.At != 3 {
		t.Error("another topic's partition was not committed")
	}
}

func txnCommit(t *testing.T, client *kgo.Client, id int64, epoch int16, offsets kadm.Offsets) *kmsg.TxnOffsetCommitResponse {
	t.Helper()
	topics, err := kadm.NewClient(client).ListTopics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[[16]byte]string)
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch, req.Generation = "limit", "limit", id, epoch, -1
	for topic, partitions := range offsets {
		rt := kmsg.NewTxnOffsetCommitRequestTopic()
		rt.Topic, rt.TopicID = topic, topics[topic].ID
		names[rt.TopicID] = topic
		for _, o := range partitions {
			p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset, p.Metadata = o.Partition, o.At, &o.Metadata
			rt.Partitions = append(rt.Partitions, p)
		}
		req.Topics = append(req.Topics, rt)
	}
	resp, err := req.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for i := range resp.Topics {
		resp.Topics[i].Topic = names[resp.Topics[i].TopicID]
	}
	return resp
}
