package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// scene is an embedded broker with the topics "orders" and "emails".
type scene struct {
	t       testing.TB
	cluster *kfake.Cluster
	client  *kgo.Client
}

func newScene(t testing.TB) *scene {
	t.Helper()
	return newSceneOf(t, 1)
}

func newSceneOf(t testing.TB, brokers int) *scene {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(brokers), kfake.SeedTopics(3, "orders", "emails"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := dialer(cluster.ListenAddrs()[0], kgo.RecordPartitioner(kgo.ManualPartitioner()))()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &scene{t, cluster, client}
}

// fill appends n records of one partition, each in a batch of its own.
func (s *scene) fill(topic string, partition int32, n int) {
	s.t.Helper()
	for i := range n {
		record := &kgo.Record{Topic: topic, Partition: partition, Value: fmt.Appendf(nil, "%d", i)}
		if err := s.client.ProduceSync(s.t.Context(), record).FirstErr(); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *scene) commit(group, topic string, partition int32, offset int64, metadata string) {
	s.t.Helper()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: offset, LeaderEpoch: -1, Metadata: metadata})
	if err := kadm.NewClient(s.client).CommitAllOffsets(s.t.Context(), group, offsets); err != nil {
		s.t.Fatal(err)
	}
}

// commitGaps commits, as Parallel Consumer does, all offsets below max but gaps.
func (s *scene) commitGaps(group, topic string, partition int32, gaps string, max int64) {
	s.t.Helper()
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		s.t.Fatal(err)
	}
	state := codec.State{Stable: ranges.First().Start, Max: max, Gaps: ranges}
	encoded, err := codec.Encode(state, "parallel-consumer", "")
	if err != nil {
		s.t.Fatal(err)
	}
	s.commit(group, topic, partition, encoded.Committed, encoded.Metadata)
}

func (s *scene) gather(q Query) Snapshot {
	s.t.Helper()
	snapshot, err := gatherOnce(s.t.Context(), dialer(s.cluster.ListenAddrs()[0]), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return snapshot
}

// group is the group of that name in s.
func group(t testing.TB, s Snapshot, name string) *Group {
	t.Helper()
	i := slices.IndexFunc(s.Groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		t.Fatalf("no group %s in %v", name, names(s))
	}
	return &s.Groups[i]
}

func names(s Snapshot) []string {
	var names []string
	for _, g := range s.Groups {
		names = append(names, g.Name)
	}
	return names
}

// kinds are the findings of a partition.
func kinds(p *Partition) string {
	var kinds []string
	for _, f := range p.Findings {
		kinds = append(kinds, f.Kind)
	}
	return strings.Join(kinds, " ")
}
