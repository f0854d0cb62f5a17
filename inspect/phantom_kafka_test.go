package inspect

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// commitGaps commits a state of Parallel Consumer's for partition 0.
func commitGaps(t *testing.T, broker *kafkatest.Broker, group, topic string, s codec.State) {
	t.Helper()
	encoded, err := codec.Encode(s, "parallel-consumer", "")
	if err != nil {
		t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	if err := kadm.NewClient(broker.Client()).CommitAllOffsets(t.Context(), group, offsets); err != nil {
		t.Fatal(err)
	}
}

// phantomsOf gathers the group and finds its phantoms.
func phantomsOf(t *testing.T, broker *kafkatest.Broker, group string) *Partition {
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
	if err := FindPhantoms(t.Context(), store, &s); err != nil || len(s.Notices) > 0 {
		t.Fatal(err, s.Notices)
	}
	return &s.Groups[0].Partitions[0]
}

// Markers and aborted records of a real transactional producer are found,
// whatever the compression, and nothing that an open transaction holds back.
func TestKafkaPhantomsOfTransactions(t *testing.T) {
	broker := kafkatest.Shared(t)
	for _, c := range []struct {
		name  string
		codec kgo.CompressionCodec
	}{
		{"none", kgo.NoCompression()}, {"gzip", kgo.GzipCompression()}, {"snappy", kgo.SnappyCompression()},
		{"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()},
	} {
		t.Run(c.name, func(t *testing.T) {
			topic, group := "phantom-"+c.name, "phantom-group-"+c.name
			broker.CreateTopic(topic, 1, nil)
			client, err := gapstore.NewProducer(dialer(broker.Addr()), kgo.TransactionalID("tx-"+c.name), kgo.ProducerBatchCompression(c.codec))
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			var want codec.Ranges
			next := int64(0)
			write := func(n int) {
				for i := range n {
					if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, "%0100d", i)}).FirstErr(); err != nil {
						t.Fatal(err)
					}
				}
				next += int64(n)
			}
			for i, n := range []int{3, 1, 5, 2, 4} {
				if err := client.BeginTransaction(); err != nil {
					t.Fatal(err)
				}
				begin := next
				write(n)
				if err := client.EndTransaction(t.Context(), kgo.TransactionEndTry(i%2 == 0)); err != nil {
					t.Fatal(err)
				}
				if i%2 == 0 {
					begin = next
				}
				next++
				want = want.Union(span(begin, next))
			}
			if err := client.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			write(6) // stays open
			done := codec.NewRanges(codec.Range{Start: 2, End: 5}, codec.Range{Start: next - 1, End: next})
			commitGaps(t, broker, group, topic, codec.State{Max: next, Gaps: span(0, next).Sub(done)})
			p := phantomsOf(t, broker, group)
			if want = want.Sub(done); !p.Phantoms.Equal(want) {
				t.Errorf("found %v, want %v", p.Phantoms, want)
			}
			checkFinding(t, p, LevelInfo, want)
			if err := client.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func checkFinding(t *testing.T, p *Partition, level Level, ranges codec.Ranges) {
	t.Helper()
	for _, f := range p.Findings {
		if f.Kind == "phantom" {
			if f.Level != level || !f.Ranges.Equal(ranges) {
				t.Errorf("finding %+v", f)
			}
			return
		}
	}
	t.Errorf("no finding in %+v", p.Findings)
}

// Offsets that log compaction has emptied are found, and no others.
func TestKafkaPhantomsOfCompaction(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, group = "phantom-compacted", "phantom-group-compacted"
	broker.CreateTopic(topic, 1, map[string]string{
		"cleanup.policy": "compact", "segment.ms": "200", "min.cleanable.dirty.ratio": "0.0001",
		"min.compaction.lag.ms": "0", "max.compaction.lag.ms": "300",
	})
	const records = 50
	broker.Fill(topic, 1, records) // keys 0 to 9, so that only the last of each stays
	commitGaps(t, broker, group, topic, codec.State{Max: records, Gaps: span(0, records-1)})
	want := span(0, records-10)
	deadline := time.Now().Add(90 * time.Second)
	for last := (codec.Ranges{}); ; {
		broker.Fill(topic, 1, 1) // makes the log roll a segment
		p := phantomsOf(t, broker, group)
		if p.Phantoms.Equal(want) || p.Phantoms.Equal(want.Union(span(records-10, records-9))) {
			checkFinding(t, p, LevelInfo, p.Phantoms)
			return
		}
		if !last.Sub(p.Phantoms).Empty() || !p.Phantoms.Sub(span(0, records-9)).Empty() {
			t.Fatalf("found %v after %v", p.Phantoms, last)
		}
		if last = p.Phantoms; time.Now().After(deadline) {
			t.Skipf("the broker has not compacted the log in time; found %v", last)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
