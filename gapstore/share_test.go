package gapstore

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func loadShare(t testing.TB, s *Store) (Loaded, []string) {
	t.Helper()
	loaded, notices := s.Load(t.Context(), []Ref{{Group: goldenGroup, Share: true}}, nil)
	if loaded[0].Err != nil {
		t.Fatal(loaded[0].Err)
	}
	return loaded[0], notices
}

func wantGoldenEntries(t *testing.T, got []Entry, encoding string) {
	t.Helper()
	states := goldenStates(t)
	if len(got) != len(states) {
		t.Fatalf("%d entries, want %d", len(got), len(states))
	}
	for i := range got {
		e, want := &got[i], shareState(&states[i]).State()
		if e.Err != nil || e.Encoding != encoding || !e.State.Equal(want) || e.Committed != states[i].StartOffset || e.Home != HomeShareState {
			t.Errorf("%v: %+v\nwant %+v as %s", e.Key, e, want, encoding)
		}
	}
}

func TestShareStateIsReadWithTheEpochOfTheSummary(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.summary, k.fence = 4, 4
	got, notices := loadShare(t, s)
	wantGoldenEntries(t, got.Entries, "read-state")
	if len(notices) > 0 || len(k.written) > 0 || slices.Max(k.readWith) != 4 || slices.Min(k.readWith) != 4 {
		t.Errorf("notices %q, read with %v, written %v", notices, k.readWith, k.written)
	}
}

func TestShareReadStepsUpToTheFence(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.one()
	k.summary, k.fence = 2, 5
	got, notices := loadShare(t, s)
	if e := got.Entries[0]; e.Err != nil || e.Encoding != "read-state" || len(notices) > 0 {
		t.Errorf("%+v, notices %q", e, notices)
	}
	if want := []int32{2, 3, 4, 5}; !slices.Equal(k.readWith, want) || len(k.written) > 0 {
		t.Errorf("read with %v, written %v; want %v and nothing", k.readWith, k.written, want)
	}
}

// The fence can be above the epoch of a leader that was made anew: no epoch
// above the leader's is tried.
func TestShareReadStopsAtTheLeadersEpoch(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.one()
	k.summary, k.fence = 7, math.MaxInt32
	topics, err := s.Topics(t.Context(), []string{goldenTopic})
	if err != nil {
		t.Fatal(err)
	}
	leader := topics[goldenTopic].Logs[0].LeaderEpoch
	got, notices := loadShare(t, s)
	if slices.Max(k.readWith) != leader || len(k.written) > 0 {
		t.Errorf("read with %v, written %v; the leader's epoch is %d", k.readWith, k.written, leader)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "FENCED_LEADER_EPOCH") || got.Entries[0].Encoding != "" {
		t.Errorf("notices %q, entry %+v", notices, got.Entries[0])
	}
}

func TestShareCoordinatorMoves(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.moved = 3
	got, notices := loadShare(t, s)
	wantGoldenEntries(t, got.Entries, "read-state")
	if len(notices) > 0 || k.finds < 2 {
		t.Errorf("notices %q, coordinators found %d times, want again after a move", notices, k.finds)
	}
}

func TestShareStateIsFoldedWithoutTheRightToAsk(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.denied = true
	produceGoldenShareTopic(t, k.c)
	got, notices := loadShare(t, s)
	wantGoldenEntries(t, got.Entries, "snapshot")
	if len(notices) > 0 || len(k.readWith) > 0 {
		t.Errorf("notices %q, read with %v", notices, k.readWith)
	}
}

func TestShareStateMissingIsSaid(t *testing.T) {
	s, k := startShareCoordinator(t)
	k.denied = true
	got, notices := loadShare(t, s)
	if len(notices) != 1 || !strings.Contains(notices[0], "CLUSTER_AUTHORIZATION_FAILED") || !strings.Contains(notices[0], "UNKNOWN_TOPIC_OR_PARTITION") {
		t.Errorf("notices %q", notices)
	}
	for _, e := range got.Entries {
		if e.Err != nil || e.Committed != 3 || e.State.Stable != 3 || !e.State.Gaps.Empty() || e.ReportedLag != 40 || e.Encoding != "" || e.Format != "share-group" {
			t.Errorf("%+v, want the start offset 3 and the reported lag 40", e)
		}
	}
}

func TestShareBatchesThatAreNoRanges(t *testing.T) {
	for _, b := range []kmsg.ReadShareGroupStateResponseTopicPartitionStateBatch{
		{FirstOffset: -1, LastOffset: 3}, {FirstOffset: 5, LastOffset: 4}, {FirstOffset: 5, LastOffset: math.MaxInt64},
	} {
		p := kmsg.ReadShareGroupStateResponseTopicPartition{StateBatches: []kmsg.ReadShareGroupStateResponseTopicPartitionStateBatch{b}}
		if shareState(&p).Err == nil {
			t.Errorf("batch %d-%d was accepted", b.FirstOffset, b.LastOffset)
		}
	}
}

// Kafka 4.4 put these keys into these partitions: the first is computed with
// its own classes, the others are where its broker wrote the golden data.
func TestPartitionFor(t *testing.T) {
	for _, c := range []struct {
		key  string
		n    int
		want int32
	}{
		{"g1:AAECAwQFBgcICQoLDA0ODw:3", 50, 1},
		{shareKey(goldenGroup, goldenID(), 0), 4, 3},
		{shareKey(goldenGroup, goldenID(), 1), 4, 0},
		{"polygenelubricants", 50, 0}, // its hash is the least integer, which has no absolute value
	} {
		if got := partitionFor(c.key, c.n); got != c.want {
			t.Errorf("%s is in partition %d of %d, want %d", c.key, got, c.n, c.want)
		}
	}
}

// produceGoldenShareTopic makes a state topic of the golden records.
func produceGoldenShareTopic(t testing.TB, c *kfake.Cluster) {
	t.Helper()
	client, err := dialTo(c.ListenAddrs()...)(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 4, 1, nil, shareTopic); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../testdata/golden/kafka-4.4/__share_group_state.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var r struct {
			Key, Value []byte
			Partition  int32
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		record := &kgo.Record{Topic: shareTopic, Key: r.Key, Value: r.Value, Partition: r.Partition}
		if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
