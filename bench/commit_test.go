package bench

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkCommit commits to a real broker, and loads from it, by the number of
// gaps: the next records are acknowledged between two commits. A commit is
// compared with one of the offset alone, and with a transaction of one small
// record; a load with a bare consumer of the same records.
func BenchmarkCommit(b *testing.B) {
	broker := throughputBroker(b)
	broker.CreateTopic("orders", 1, nil)
	g := grid{title: "Commit to a broker, one offset in ten outstanding, by the number of gaps", rows: []gridRow{
		{what: "commit, " + count(engineChanges) + " acknowledged", against: "the offset alone"}, {against: "a bare transaction"},
		{what: "load", against: "a bare consumer"},
	}}
	plain := []*timed{plainCommit(b, broker), bareTransaction(b, broker)}
	all := plain
	var commits []*timed
	var loads [][2]*timed
	for gaps := int64(1_000); gaps <= 10_000_000; gaps *= 10 {
		g.columns = append(g.columns, count(gaps))
		s := shape{gaps: oneIn(10)}.over(gaps * 11)
		commits = append(commits, nativeCommit(b, broker, "commits-"+count(gaps), s))
		loads = append(loads, [2]*timed{nativeLoad(b, broker, "loads-"+count(gaps), s), bareLoad(b, broker, "loads-"+count(gaps))})
		all = append(all, commits[len(commits)-1], loads[len(loads)-1][0], loads[len(loads)-1][1])
	}
	rounds(b, wallClock, 50*time.Millisecond, all...)
	b.ReportMetric(0, "ns/op")
	for i, t := range commits {
		for row, other := range plain {
			g.rows[row].cells = append(g.rows[row].cells, compareTimes([2]*timed{t, other}))
		}
		g.rows[2].cells = append(g.rows[2].cells, compareTimes(loads[i]))
	}
	grids = append(grids, g)
}

// held is a group whose gaps are s; what it has committed is there to read.
func held(b *testing.B, broker *kafkatest.Broker, group string, s codec.State) *nativeGroup {
	b.Helper()
	var native *nativeGroup
	await(b, group, func() (err error) {
		native, err = openNative(b.Context(), broker, group, "orders", 1)
		return err
	})
	b.Cleanup(func() {
		if err := native.close(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	await(b, group, func() error { return native.commitAll(b.Context(), s) })
	return native
}

func nativeCommit(b *testing.B, broker *kafkatest.Broker, group string, s codec.State) *timed {
	native := held(b, broker, group, s)
	a := &acks{fresh: gapSetEngine(s), offsets: someOffsets(s, false)}
	return &timed{
		prepare: func() {
			offsets := a.some(engineChanges)
			a.engine.acknowledge(offsets)
		},
		run: func() {
			set := a.engine.(gapSet)
			records, err := set.Records(native.id(), codec.NativeStamp{LeaderEpoch: -1, Generation: -1}, set.TakeDirty())
			if err == nil {
				err = native.hold.Commit(b.Context(), gapstore.Commit{
					Records: native.produced(records), Offsets: []gapstore.OffsetCommit{native.offset(0, set.Stable())},
				})
			}
			if err != nil {
				b.Fatal(err)
			}
		},
	}
}

// plainCommit is what a consumer without gaps commits.
func plainCommit(b *testing.B, broker *kafkatest.Broker) *timed {
	admin := kadm.NewClient(broker.Client())
	at := int64(0)
	return &timed{run: func() {
		at++
		var offsets kadm.Offsets
		offsets.Add(kadm.Offset{Topic: "orders", At: at, LeaderEpoch: -1})
		if err := admin.CommitAllOffsets(b.Context(), "plain", offsets); err != nil {
			b.Fatal(err)
		}
	}}
}

// bareTransaction is the least that commits records with a guarantee.
func bareTransaction(b *testing.B, broker *kafkatest.Broker) *timed {
	client := broker.Client(kgo.TransactionalID("bare"), kgo.ProducerLinger(0))
	return &timed{run: func() {
		err := client.BeginTransaction()
		if err == nil {
			err = client.ProduceSync(b.Context(), &kgo.Record{Topic: "orders", Value: make([]byte, 100)}).FirstErr()
		}
		if err == nil {
			err = client.EndTransaction(b.Context(), kgo.TryCommit)
		}
		if err != nil {
			b.Fatal(err)
		}
	}}
}

func nativeLoad(b *testing.B, broker *kafkatest.Broker, group string, s codec.State) *timed {
	native := held(b, broker, group, s)
	want := s.Gaps.Len()
	return &timed{run: func() {
		loaded, _ := native.store.Load(b.Context(), []gapstore.Ref{{Group: group}}, nil)
		entries := loaded[0].Entries
		if len(entries) != 1 || entries[0].Err != nil || entries[0].State.Gaps.Len() != want {
			b.Fatalf("%s: %d entries, %v", group, len(entries), loaded[0].Err)
		}
	}}
}

// bareLoad reads all that stands in the partition with the group's records.
func bareLoad(b *testing.B, broker *kafkatest.Broker, group string) *timed {
	admin := kadm.NewClient(broker.Client())
	partitions, err := admin.ListTopics(b.Context(), codec.NativeTopic)
	if err != nil {
		b.Fatal(err)
	}
	partition := codec.NativePartition(group, int32(len(partitions[codec.NativeTopic].Partitions)))
	return &timed{run: func() {
		ends, err := admin.ListCommittedOffsets(b.Context(), codec.NativeTopic)
		if err != nil {
			b.Fatal(err)
		}
		end, _ := ends.Lookup(codec.NativeTopic, partition)
		client := broker.Client(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumePartitions(
			map[string]map[int32]kgo.Offset{codec.NativeTopic: {partition: kgo.NewOffset().AtStart()}}))
		defer client.Close()
		for at := int64(0); at < end.Offset; {
			fetches := client.PollFetches(b.Context())
			if err := fetches.Err(); err != nil {
				b.Fatal(err)
			}
			for _, r := range fetches.Records() {
				at = r.Offset + 1
			}
		}
	}}
}
