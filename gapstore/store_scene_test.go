package gapstore

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

func dialTo(addrs ...string) Dial {
	return func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addrs...)}, extra...)...)
	}
}

func openStore(t testing.TB, addrs ...string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dialTo(addrs...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// commitTo commits offset and metadata of one partition for group.
func commitTo(t testing.TB, addr, group, topic string, partition int32, offset int64, metadata string) {
	t.Helper()
	client, err := dialTo(addr)()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: offset, LeaderEpoch: -1, Metadata: metadata})
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets); err != nil {
		t.Fatal(err)
	}
}

// gapsOf is a Parallel Consumer's metadata with those gaps.
func gapsOf(t testing.TB, stable, max int64, gaps string) (metadata string) {
	t.Helper()
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := codec.Encode(codec.State{Stable: stable, Max: max, Gaps: ranges}, "parallel-consumer", "")
	if err != nil {
		t.Fatal(err)
	}
	return encoded.Metadata
}

func loadGroup(t testing.TB, s *Store, group string) Loaded {
	t.Helper()
	loaded, notices := s.Load(t.Context(), []Ref{{Group: group}}, nil)
	if len(loaded) != 1 || len(notices) != 0 {
		t.Fatalf("%d groups, notices %q", len(loaded), notices)
	}
	return loaded[0]
}

// fakeCluster is an embedded broker that ends with the test.
func fakeCluster(t testing.TB, topics ...string) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Millisecond), kfake.SeedTopics(2, topics...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
