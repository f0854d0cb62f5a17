package inspect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// shape is how much a benchmark gathers.
type shape struct{ groups, partitions int }

func (s shape) String() string { return fmt.Sprintf("%dx%d", s.groups, s.partitions) }

// BenchmarkGather compares gathering with a bare client that makes the same
// requests and throws the answers away.
func BenchmarkGather(b *testing.B) {
	b.Run("kfake", func(b *testing.B) {
		for _, s := range []shape{{1, 3}, {300, 100}} {
			b.Run(s.String(), func(b *testing.B) {
				cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
				if err != nil {
					b.Fatal(err)
				}
				defer cluster.Close()
				benchmarkGather(b, cluster.ListenAddrs()[0], s)
			})
		}
	})
	b.Run("kafka", func(b *testing.B) {
		for _, s := range []shape{{1, 3}, {300, 100}} {
			b.Run(s.String(), func(b *testing.B) { benchmarkGather(b, kafkatest.Start(b).Addr(), s) })
		}
	})
}

func benchmarkGather(b *testing.B, addr string, s shape) {
	populate(b, addr, s)
	dial := dialer(addr)
	query := Query{All: true}
	run := func(name string, once func(ctx context.Context) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := once(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("bare", func(ctx context.Context) error { return bareClient(ctx, dial) })
	for _, skip := range []bool{true, false} {
		query.SkipAges = skip
		run(map[bool]string{true: "gather", false: "gather-ages"}[skip], func(ctx context.Context) error {
			snapshot, err := gatherOnce(ctx, dial, query)
			if err == nil && len(snapshot.Groups) != s.groups {
				err = fmt.Errorf("%d groups, want %d", len(snapshot.Groups), s.groups)
			}
			return err
		})
	}
	b.Run("heap", func(b *testing.B) {
		for b.Loop() {
			snapshot, err := gatherOnce(b.Context(), dial, query)
			if err != nil {
				b.Fatal(err)
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "live-MB")
			b.ReportMetric(float64(m.HeapSys)/(1<<20), "heap-MB")
			runtime.KeepAlive(snapshot)
		}
	})
}

func dialer(addr string, opts ...kgo.Opt) gapstore.Dial {
	return func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append(append([]kgo.Opt{kgo.SeedBrokers(addr)}, opts...), extra...)...)
	}
}

func gatherOnce(ctx context.Context, dial gapstore.Dial, query Query) (Snapshot, error) {
	store, err := gapstore.Open(ctx, dial)
	if err != nil {
		return Snapshot{}, err
	}
	defer store.Close()
	return Gather(ctx, store, query)
}

const benchTopic = "orders"

// populate makes a topic, and groups that have gaps of Parallel Consumer's in
// all of its partitions, about 420 characters each.
func populate(b *testing.B, addr string, s shape) {
	client, err := dialer(addr, kgo.RecordPartitioner(kgo.ManualPartitioner()))()
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(b.Context(), 2*time.Minute)
	defer cancel()
	create := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = benchTopic, int32(s.partitions), 1
	create.Topics = append(create.Topics, topic)
	created, err := create.RequestWith(ctx, client)
	if err != nil {
		b.Fatal(err)
	}
	var records []*kgo.Record
	for partition := range s.partitions {
		for range 2000 {
			records = append(records, &kgo.Record{Topic: benchTopic, Partition: int32(partition), Value: []byte("x")})
		}
		if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
			b.Fatal(err)
		}
		records = records[:0]
	}
	random := rand.New(rand.NewPCG(1, 2))
	for group := range s.groups {
		req := kmsg.NewPtrOffsetCommitRequest()
		req.Group, req.Generation = fmt.Sprintf("group-%03d", group), -1
		t := kmsg.NewOffsetCommitRequestTopic()
		t.Topic, t.TopicID = benchTopic, created.Topics[0].TopicID
		for partition := range s.partitions {
			encoded := randomGaps(b, random)
			p := kmsg.NewOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = int32(partition), encoded.Committed, -1, &encoded.Metadata
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
		commitAll(b, ctx, client, req)
	}
}

func commitAll(b *testing.B, ctx context.Context, client *kgo.Client, req *kmsg.OffsetCommitRequest) {
	for {
		resp, err := req.RequestWith(ctx, client)
		if err != nil {
			b.Fatal(err)
		}
		switch err := kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode); {
		case err == nil:
			return
		case !kerr.IsRetriable(err):
			b.Fatal(err)
		}
	}
}

// randomGaps is 150 gaps in some 1,600 offsets: a run length takes two bytes.
func randomGaps(b *testing.B, random *rand.Rand) codec.Encoded {
	start := random.Int64N(300)
	gaps := []codec.Range{{Start: start, End: start + 1}}
	end := start + 1
	for range 77 {
		end += 1 + random.Int64N(12)
		gaps = append(gaps, codec.Range{Start: end, End: end + 1 + random.Int64N(8)})
		end = gaps[len(gaps)-1].End
	}
	state := codec.State{Stable: start, Max: end + 1, Gaps: codec.NewRanges(gaps...)}
	encoded, err := codec.Encode(state, "parallel-consumer", "run-length-v2")
	if err != nil {
		b.Fatal(err)
	}
	return encoded
}

// bareClient makes the requests of a gathering without ages.
func bareClient(ctx context.Context, dial gapstore.Dial) error {
	client, err := dial(kgo.MaxVersions(bareVersions()))
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client); err != nil {
		return err
	}
	list, err := kmsg.NewPtrListGroupsRequest().RequestWith(ctx, client)
	if err != nil {
		return err
	}
	describe, fetch := kmsg.NewPtrDescribeGroupsRequest(), kmsg.NewPtrOffsetFetchRequest()
	for _, g := range list.Groups {
		describe.Groups = append(describe.Groups, g.Group)
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = g.Group
		fetch.Groups = append(fetch.Groups, group)
	}
	if _, err := describe.RequestWith(ctx, client); err != nil {
		return err
	}
	offsets, err := fetch.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, ask := range []struct {
		timestamp int64
		isolation int8
	}{{-2, 0}, {-1, 0}, {-1, 1}} {
		req := kmsg.NewPtrListOffsetsRequest()
		req.IsolationLevel = ask.isolation
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic = benchTopic
		for _, told := range offsets.Groups[0].Topics[0].Partitions {
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.Timestamp = told.Partition, ask.timestamp
			topic.Partitions = append(topic.Partitions, p)
		}
		req.Topics = append(req.Topics, topic)
		if _, err := req.RequestWith(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

func bareVersions() *kversion.Versions {
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(kmsg.OffsetFetch.Int16(), 9) // as the store does
	return versions
}
