package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// checkKafka is what gapctl check does with one group.
func checkKafka(t *testing.T, broker *kafkatest.Broker, group string) *Group {
	t.Helper()
	store, err := gapstore.Open(t.Context(), dialer(broker.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := Gather(t.Context(), store, Query{Groups: []string{group}})
	if err != nil {
		t.Fatal(err)
	}
	e := Evidence{StuckAfter: time.Hour}
	if err := FindEvidence(t.Context(), store, &s, &e, false); err != nil || len(s.Notices) > 0 {
		t.Fatal(err, s.Notices)
	}
	Check(&s, &e)
	return &s.Groups[0]
}

// found is the finding of that kind.
func found(t *testing.T, p *Partition, kind string) *Finding {
	t.Helper()
	i := slices.IndexFunc(p.Findings, func(f Finding) bool { return f.Kind == kind })
	if i < 0 {
		t.Fatalf("no %s among %+v", kind, p.Findings)
	}
	return &p.Findings[i]
}

// The transaction that holds the last stable offset is found with its
// transactional ID, and so is one that is about to change a commit.
func TestKafkaOpenTransaction(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "check-open", "check-open-group"
	broker.CreateTopic(topic, 1, nil)
	broker.Fill(topic, 1, 20)
	commitGaps(t, broker, name, topic, codec.State{Stable: 5, Max: 10, Gaps: span(5, 7)})
	begun := time.Now()
	client, err := gapstore.NewProducer(dialer(broker.Addr()), kgo.TransactionalID("check-open-tx"), kgo.TransactionTimeout(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	p := &checkKafka(t, broker, name).Partitions[0]
	id, epoch, err := client.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := found(t, p, "open-transaction")
	who := fmt.Sprintf("transactional ID %q, producer %d (epoch %d)", "check-open-tx", id, epoch)
	if f.Level != LevelInfo || f.Ranges.String() != "20-22" || !strings.Contains(f.Message, who) || !strings.Contains(f.Message, "aborts it 10m after") {
		t.Errorf("%+v, want one of %s", f, who)
	}
	store, err := gapstore.Open(t.Context(), dialer(broker.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := Gather(t.Context(), store, Query{Groups: []string{name}})
	if err != nil {
		t.Fatal(err)
	}
	told, _ := findTransactions(t.Context(), store, &s)
	if open := told.open[place{topic, 0}]; len(open) != 1 || open[0].State != "Ongoing" || open[0].Since.Before(begun.Add(-time.Second)) || open[0].Since.After(time.Now()) {
		t.Errorf("open %+v", open)
	}
	if err := client.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second) // the markers come after the answer
	for p = &checkKafka(t, broker, name).Partitions[0]; strings.Contains(kinds(p), "open-transaction"); p = &checkKafka(t, broker, name).Partitions[0] {
		if time.Now().After(deadline) {
			t.Fatalf("after its end: %+v", p.Findings)
		}
	}

	pending := broker.Client(kgo.TransactionalID("check-pending-tx"))
	beginOffsets(t, pending, "check-pending-tx", name, topic, 9)
	p = &checkKafka(t, broker, name).Partitions[0]
	if f := found(t, p, "open-transaction"); !strings.Contains(f.Message, `"check-pending-tx"`) {
		t.Errorf("%+v", f)
	}
	endOffsets(t, pending, "check-pending-tx", false)
}

// endOffsets ends what beginOffsets began.
func endOffsets(t *testing.T, client *kgo.Client, transaction string, commit bool) {
	t.Helper()
	id, epoch, err := client.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end := kmsg.NewPtrEndTxnRequest()
	end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = transaction, id, epoch, commit
	if resp, err := end.RequestWith(t.Context(), client); err != nil || resp.ErrorCode != 0 {
		t.Fatal(err, kerr.ErrorForCode(resp.ErrorCode))
	}
}

// Retention by DeleteRecords loses outstanding records.
func TestKafkaLost(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "check-lost", "check-lost-group"
	broker.CreateTopic(topic, 1, nil)
	broker.Fill(topic, 1, 50)
	commitGaps(t, broker, name, topic, codec.State{Stable: 5, Max: 40, Gaps: codec.NewRanges(codec.Range{Start: 5, End: 8}, codec.Range{Start: 20, End: 22})})
	starts := kadm.Offsets{}
	starts.AddOffset(topic, 0, 7, -1)
	if deleted, err := kadm.NewClient(broker.Client()).DeleteRecords(t.Context(), starts); err != nil || deleted.Error() != nil {
		t.Fatal(err, deleted.Error())
	}
	p := &checkKafka(t, broker, name).Partitions[0]
	if f := found(t, p, "lost"); f.Ranges.String() != "5-6" || f.Remedy != "gapctl compact check-lost-group --topic check-lost/0" {
		t.Errorf("%+v", f)
	}
	if kinds(p) != "lost" {
		t.Errorf("findings %+v", p.Findings)
	}
}

// A topic that was made anew is known by a consumer that still commits what it
// had read of the old one.
func TestKafkaRecreatedTopic(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "check-anew", "check-anew-group"
	broker.CreateTopic(topic, 1, nil)
	admin := kadm.NewClient(broker.Client())
	if deleted, err := admin.DeleteTopics(t.Context(), topic); err != nil || deleted.Error() != nil {
		t.Fatal(err, deleted.Error())
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := admin.CreateTopic(t.Context(), 1, 1, nil, topic); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	broker.Fill(topic, 1, 4)
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, At: 9, LeaderEpoch: 3})
	if err := admin.CommitAllOffsets(t.Context(), name, offsets); err != nil {
		t.Fatal(err)
	}
	p := &checkKafka(t, broker, name).Partitions[0]
	if kinds(p) != "beyond-log-end topic-recreated" || found(t, p, "beyond-log-end").Ranges.String() != "4-8" {
		t.Errorf("findings %+v", p.Findings)
	}
}

// What the real Parallel Consumer fails on for ever has one key in common, and
// that key is suspected.
func TestKafkaPoisonSuspect(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "check-poison", "check-poison-group"
	broker.CreateTopic(topic, 1, nil)
	broker.Fill(topic, 1, 120)
	broker.RunPC(kafkatest.PCOptions{Group: name, Topics: []string{topic}, Fail: kafkatest.EveryPlus(10, 3)})
	p := &checkKafka(t, broker, name).Partitions[0]
	f := found(t, p, "poison-suspect")
	if !f.Ranges.Equal(p.State.Gaps) || p.State.Gaps.Count() < 10 || !strings.Contains(f.Message, `the key "key-3"`) {
		t.Errorf("%+v, of the gaps %v", f, p.State.Gaps)
	}
	if kinds(p) != "poison-suspect" {
		t.Errorf("findings %+v", p.Findings)
	}
}

// The real Parallel Consumer 0.5.3.3 processes again exactly what check said
// that it would.
func TestKafkaRestart(t *testing.T) {
	broker := kafkatest.Shared(t)
	for name, c := range map[string]struct {
		metadata string
		again    string // of what the commit calls done
	}{
		"healthy":         {"bgACAAMAAQAE", ""},
		"starts-complete": {"bgAAAAQAAgAD", "10-13,16-18"},
		"odd-tail":        {"bgACAAMAAQAEBw==", ""},
		"not-base64":      {"hello world!", "10-29"},
	} {
		t.Run(name, func(t *testing.T) {
			const records = 30
			topic, group := "check-restart-"+name, "check-restart-group-"+name
			broker.CreateTopic(topic, 1, nil)
			broker.Fill(topic, 1, records)
			offsets := kadm.Offsets{}
			offsets.Add(kadm.Offset{Topic: topic, At: 10, LeaderEpoch: -1, Metadata: c.metadata})
			if err := kadm.NewClient(broker.Client()).CommitAllOffsets(t.Context(), group, offsets); err != nil {
				t.Fatal(err)
			}
			takes := codec.PCStart{Metadata: c.metadata, Committed: 10, LogEnd: records, First: 10}.Takes()
			p := &checkKafka(t, broker, group).Partitions[0]
			if f := slices.IndexFunc(p.Findings, func(f Finding) bool { return f.Kind == "restart" }); name == "starts-complete" && (f < 0 || p.Findings[f].Ranges.String() != c.again) {
				t.Errorf("findings %+v", p.Findings)
			}
			want := span(10, records)
			if takes[1].Known {
				want = p.State.Gaps.Union(span(p.State.Max, records)).Union(takes[1].Again)
			}
			did := broker.RunPC(kafkatest.PCOptions{Group: group, Topics: []string{topic}})
			var got []codec.Range
			for _, offset := range did.Processed[kafkatest.TopicPartition{Topic: topic}] {
				got = append(got, codec.Range{Start: offset, End: offset + 1})
			}
			if all := codec.NewRanges(got...); !all.Equal(want) {
				t.Errorf("processed %v, want %v", all, want)
			}
		})
	}
}
