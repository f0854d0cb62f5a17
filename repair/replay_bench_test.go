package repair

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkReplay compares the replay of one dense gap per partition with plain
// loops that consume as much and produce it in transactions of the same size: one
// that writes the bare records, and one whose records say where they come from,
// as the copies of a replay do, with headers that take more than the records.
// They take turns, so that a machine whose speed drifts treats them alike; a
// first round is not counted.
func BenchmarkReplay(b *testing.B) {
	const partitions, each = 4, 250_000
	broker := kafkatest.Start(b, kafkatest.JVM("-XX:TieredStopAtLevel=4"), kafkatest.Heap(1024)) // as in service
	broker.CreateTopic("dense", partitions, nil)
	fillDense(b, broker, "dense", partitions, each)
	b.Run("dense", func(b *testing.B) {
		contenders := []struct {
			name string
			copy func(to string)
			took time.Duration
		}{
			{name: "plain-loop", copy: func(to string) { copyPlainly(b, broker, to, partitions*each, nil) }},
			{name: "loop-with-headers", copy: func(to string) {
				copyPlainly(b, broker, to, partitions*each, &copies{op: Replay{ToTopic: to}, stamps: map[place]*stamp{}, memory: &copyMemory{}})
			}},
			{name: "replay", copy: func(to string) { replayDense(b, broker, to, to, partitions*each) }},
		}
		for round := range b.N + 1 {
			for i := range contenders {
				c := &contenders[i]
				to := fmt.Sprintf("%s-%d-%d", c.name, b.N, round)
				broker.CreateTopic(to, partitions, nil)
				commitDense(b, broker, to, partitions, each)
				start := time.Now()
				c.copy(to)
				if round > 0 {
					c.took += time.Since(start)
				}
			}
		}
		replayed := contenders[len(contenders)-1].took
		for _, c := range contenders {
			b.ReportMetric(float64(c.took.Milliseconds())/float64(b.N), "ms/"+c.name)
			if c.took != replayed {
				b.ReportMetric(float64(c.took)/float64(replayed), "of-"+c.name)
			}
		}
		b.ReportMetric(0, "ns/op")
	})
}

func replayDense(b *testing.B, broker *kafkatest.Broker, group, to string, n int64) {
	b.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	s := &scene{t: b, addrs: []string{broker.Addr()}, journal: Journal{Dir: b.TempDir()}}
	p := planDense(b, s, group, to)
	r := s.applier(s.dial).Apply(b.Context(), p, Approve(p, "me@here", "test"))
	if r.Err != nil || r.Copied() != n {
		b.Fatalf("%+v", r)
	}
}

func fillDense(b *testing.B, broker *kafkatest.Broker, topic string, partitions int32, each int) {
	b.Helper()
	client := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(100_000))
	var failed error
	for i := range each {
		for p := range partitions {
			client.Produce(b.Context(), &kgo.Record{Topic: topic, Partition: p, Key: strconv.AppendInt(nil, int64(i), 10), Value: make([]byte, 100)},
				func(_ *kgo.Record, err error) {
					if err != nil {
						failed = err // promises are called one by one
					}
				})
		}
	}
	if err := client.Flush(b.Context()); err != nil || failed != nil {
		b.Fatal(err, failed)
	}
	client.ProduceSync(b.Context(), &kgo.Record{Topic: topic}, &kgo.Record{Topic: topic, Partition: 1}, &kgo.Record{Topic: topic, Partition: 2}, &kgo.Record{Topic: topic, Partition: 3})
}

// commitDense commits one record after each gap.
func commitDense(b *testing.B, broker *kafkatest.Broker, group string, partitions int32, each int64) {
	b.Helper()
	encoded, err := codec.Encode(codec.State{Max: each + 1, Gaps: below(each)}, parallelConsumer, "")
	if err != nil {
		b.Fatal(err)
	}
	offsets := kadm.Offsets{}
	for p := range partitions {
		offsets.Add(kadm.Offset{Topic: "dense", Partition: p, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	}
	if err := kadm.NewClient(broker.Client()).CommitAllOffsets(b.Context(), group, offsets); err != nil {
		b.Fatal(err)
	}
}

func copyPlainly(b *testing.B, broker *kafkatest.Broker, to string, n int, headers *copies) {
	b.Helper()
	client := broker.Client(kgo.ConsumeTopics("dense"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.TransactionalID(to),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	for copied := 0; copied < n; {
		var records []*kgo.Record
		for len(records) < replayRecords && copied+len(records) < n {
			fetches := client.PollRecords(b.Context(), replayRecords-len(records))
			if err := fetches.Err(); err != nil {
				b.Fatal(err)
			}
			fetches.EachRecord(func(r *kgo.Record) {
				if headers != nil {
					r = headers.of(&inspect.Record{Record: r, Group: to, State: inspect.RecordOutstanding, Deliveries: -1})
				}
				records = append(records, &kgo.Record{Topic: to, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp})
			})
		}
		if err := client.BeginTransaction(); err != nil {
			b.Fatal(err)
		}
		if err := client.ProduceSync(b.Context(), records...).FirstErr(); err != nil {
			b.Fatal(err)
		}
		if err := client.EndTransaction(b.Context(), kgo.TryCommit); err != nil {
			b.Fatal(err)
		}
		copied += len(records)
		if headers != nil {
			headers.memory.reset()
		}
	}
}

func planDense(b *testing.B, s *scene, group, to string) Plan {
	b.Helper()
	store, err := gapstore.Open(b.Context(), s.dial)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	snapshot, err := inspect.Gather(b.Context(), store, inspect.Query{Groups: []string{group}, SkipAges: true})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(snapshot, Replay{ToTopic: to})
	if err != nil {
		b.Fatal(err)
	}
	return p
}
