package inspect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// minute is the timestamp of the record at that offset.
func minute(offset int64) time.Time {
	return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(offset) * time.Minute)
}

// stamped makes records with the timestamps of their offsets, from first on.
func stamped(partition int32, first int64, n, size int) []*kgo.Record {
	random := rand.New(rand.NewPCG(uint64(partition), uint64(first)))
	var records []*kgo.Record
	for i := range n {
		value := make([]byte, size)
		for k := range value {
			value[k] = byte(random.Uint32()) // so that it stays that large
		}
		records = append(records, &kgo.Record{Topic: "orders", Partition: partition, Timestamp: minute(first + int64(i)), Value: value})
	}
	return records
}

// producer is what records are produced with, in transactions or not.
type producer interface {
	ProduceSync(ctx context.Context, records ...*kgo.Record) kgo.ProduceResults
}

func (s *scene) produce(client producer, records ...*kgo.Record) {
	s.t.Helper()
	if err := client.ProduceSync(s.t.Context(), records...).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
}

// ages are the ages of the oldest gaps, by partition of orders.
func (s *scene) ages(groupName string) map[int32]time.Time {
	s.t.Helper()
	ages := map[int32]time.Time{}
	for _, p := range group(s.t, s.gather(Query{All: true}), groupName).Partitions {
		ages[p.Partition] = p.OldestGapAt
	}
	return ages
}

func TestAgeWithinABatch(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 50, 10)...)
	s.commitGaps("billing", "orders", 0, "33-35,40", 45)
	if got := s.ages("billing")[0]; !got.Equal(minute(33)) {
		t.Errorf("oldest gap at %v, want that of offset 33", got)
	}
}

// Markers and records of aborted transactions are no records for a consumer.
func TestAgeSkipsPhantoms(t *testing.T) {
	s := newScene(t)
	producer, err := gapstore.NewProducer(dialer(s.cluster.ListenAddrs()[0]), kgo.TransactionalID("tx"))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for _, transaction := range []struct {
		first  int64
		commit kgo.TransactionEndTry
	}{{0, kgo.TryCommit}, {4, kgo.TryAbort}, {8, kgo.TryCommit}} {
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		s.produce(producer, stamped(0, transaction.first, 3, 10)...)
		if err := producer.EndTransaction(t.Context(), transaction.commit); err != nil {
			t.Fatal(err)
		}
	}
	// 0-2 committed, 3 a marker, 4-6 aborted, 7 a marker, 8-10 committed, 11 a marker.
	s.produce(s.client, stamped(0, 12, 20, 10)...)
	s.commitGaps("phantoms", "orders", 0, "3-7", 11)
	s.commitGaps("and-more", "orders", 0, "3-7,9", 11)
	if got := s.ages("phantoms")[0]; !got.IsZero() {
		t.Errorf("oldest gap at %v although the gap holds no record", got)
	}
	if got := s.ages("and-more")[0]; !got.Equal(minute(9)) {
		t.Errorf("oldest gap at %v, want that of offset 9", got)
	}
	// Of one batch, only 15 is wanted before it turns out that there is no 11.
	s.commitGaps("marker", "orders", 0, "11-20", 25)
	s.commitGaps("fifteen", "orders", 0, "15", 25)
	for name, want := range map[string]int64{"marker": 12, "fifteen": 15} {
		if got := s.ages(name)[0]; !got.Equal(minute(want)) {
			t.Errorf("%s: oldest gap at %v, want that of offset %d", name, got, want)
		}
	}
}

func TestAgeOfWhatTheLogStillHolds(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 20, 10)...)
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "orders", Partition: 0, At: 8})
	if _, err := kadm.NewClient(s.client).DeleteRecords(t.Context(), offsets); err != nil {
		t.Fatal(err)
	}
	s.commitGaps("billing", "orders", 0, "2-9,15", 18)
	s.commitGaps("shipping", "orders", 0, "2-5,15", 18)
	s.commitGaps("invoice", "orders", 0, "2-5", 18)
	for name, want := range map[string]time.Time{"billing": minute(8), "shipping": minute(15), "invoice": {}} {
		if got := s.ages(name)[0]; !got.Equal(want) {
			t.Errorf("%s: oldest gap at %v, want %v", name, got, want)
		}
	}
}

// A broker gives a batch beyond the limit to one partition per request only.
func TestAgeOfLargeBatches(t *testing.T) {
	s := newScene(t)
	for partition := range int32(3) {
		s.produce(s.client, stamped(partition, 0, 5, 60_000)...)
		s.commitGaps("billing", "orders", partition, "2-3", 5)
	}
	fetches, _ := s.counts(kmsg.Fetch, func(kmsg.Request) []string { return nil })
	ages := s.ages("billing")
	for partition := range int32(3) {
		if !ages[partition].Equal(minute(2)) {
			t.Errorf("partition %d: oldest gap at %v, want that of offset 2", partition, ages[partition])
		}
	}
	if *fetches > 6 {
		t.Errorf("%d fetches for three batches", *fetches)
	}
}

func TestAgesOfManyGroupsShareFetches(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 200, 10)...)
	for i := range 60 {
		s.commitGaps(fmt.Sprintf("group-%02d", i), "orders", 0, fmt.Sprint(3*i), 190)
	}
	fetches, _ := s.counts(kmsg.Fetch, func(kmsg.Request) []string { return nil })
	got := s.gather(Query{All: true})
	for i := range 60 {
		if g := group(t, got, fmt.Sprintf("group-%02d", i)); !g.Sums().OldestGapAt.Equal(minute(int64(3 * i))) {
			t.Errorf("%s: oldest gap at %v, want that of offset %d", g.Name, g.Sums().OldestGapAt, 3*i)
		}
	}
	if *fetches > 3 {
		t.Errorf("%d fetches for records of one batch", *fetches)
	}
}

// Reading ages is bounded; the oldest gaps come first, and what is left is said.
func TestAgesTooMany(t *testing.T) {
	s := newScene(t)
	const many = ageRounds + 6
	for i := range int64(many) {
		s.produce(s.client, stamped(0, i, 1, 2*ageBytesFirst)...)
	}
	s.produce(s.client, stamped(0, many, 1, 1)...)
	for i := range many {
		s.commitGaps(fmt.Sprintf("group-%02d", i), "orders", 0, fmt.Sprint(i), many+1)
	}
	got := s.gather(Query{All: true})
	known := 0
	for i, g := range got.Groups {
		if !g.Sums().OldestGapAt.IsZero() {
			known++
			if i >= ageRounds {
				t.Errorf("%s has an age although older gaps have none", g.Name)
			}
		}
	}
	if known != ageRounds || len(got.Notices) != 1 || !strings.Contains(got.Notices[0], fmt.Sprint(many-ageRounds)) {
		t.Errorf("%d ages, notices %q; want %d, and a notice on the others", known, got.Notices, ageRounds)
	}
}

func TestAgesSkipped(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 9, 10)...)
	s.commitGaps("billing", "orders", 0, "2", 5)
	fetches, _ := s.counts(kmsg.Fetch, func(kmsg.Request) []string { return nil })
	got := s.gather(Query{All: true, SkipAges: true})
	if *fetches != 0 || !got.Groups[0].Sums().OldestGapAt.IsZero() || got.Groups[0].Sums().Outstanding != 1 {
		t.Errorf("%d fetches, %+v", *fetches, got.Groups[0])
	}
}

func TestAgesDenied(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 9, 10)...)
	s.commitGaps("billing", "orders", 0, "2", 5)
	s.cluster.ControlKey(kmsg.Fetch.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.FetchRequest)
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		topic := kmsg.NewFetchResponseTopic()
		topic.TopicID = req.Topics[0].TopicID
		p := kmsg.NewFetchResponseTopicPartition()
		p.ErrorCode = kerr.TopicAuthorizationFailed.Code
		topic.Partitions = append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	got := s.gather(Query{All: true})
	p := &got.Groups[0].Partitions[0]
	if p.Err != nil || !p.OldestGapAt.IsZero() || p.TrueLag() != 5 {
		t.Errorf("%+v", p)
	}
	if len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "TOPIC_AUTHORIZATION_FAILED") {
		t.Errorf("notices %q", got.Notices)
	}
}
