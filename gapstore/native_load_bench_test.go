package gapstore

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkLoadTenMillionGaps loads ten million gaps over a hundred million
// offsets from a real broker, and reports the heap that they take.
func BenchmarkLoadTenMillionGaps(b *testing.B) {
	broker := kafkatest.Start(b, kafkatest.JVM("-XX:TieredStopAtLevel=4"))
	broker.CreateTopic("orders", 1, nil)
	store := openStore(b, broker.Addr())
	home, err := store.Ensure(b.Context(), NativeOptions{Partitions: 1})
	if err != nil {
		b.Fatal(err)
	}
	topics, err := store.Topics(b.Context(), []string{"orders"})
	if err != nil {
		b.Fatal(err)
	}
	before := Entry{Key: Key{"billing", "orders", 0}, TopicID: topics["orders"].ID}
	records, err := home.Records(before, tenMillionGaps(), codec.NativeStamp{LeaderEpoch: -1, Generation: -1})
	if err != nil {
		b.Fatal(err)
	}
	bytes := 0
	for _, r := range records {
		bytes += len(r.Key) + len(r.Value)
	}
	if err := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner())).ProduceSync(b.Context(), records...).FirstErr(); err != nil {
		b.Fatal(err)
	}
	commitTo(b, broker.Addr(), "billing", "orders", 0, 0, "")
	gaps, held := 0, int64(0)
	for b.Loop() {
		b.StopTimer()
		heap := heapInUse()
		b.StartTimer()
		loaded, _ := store.Load(b.Context(), []Ref{{Group: "billing"}}, nil)
		b.StopTimer()
		held = heapInUse() - heap
		if len(loaded[0].Entries) != 1 || loaded[0].Entries[0].Err != nil {
			b.Fatalf("loaded %+v", loaded[0])
		}
		gaps = loaded[0].Entries[0].State.Gaps.Len()
		runtime.KeepAlive(loaded)
		b.StartTimer()
	}
	b.ReportMetric(float64(gaps), "gaps")
	b.ReportMetric(float64(held)/1e6, "MB-held")
	b.ReportMetric(float64(bytes)/1e6, "MB-in-topic")
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func tenMillionGaps() codec.State {
	rng := rand.New(rand.NewPCG(3, 3))
	var rs []codec.Range
	for at := int64(0); at < 100_000_000; at += 1 + rng.Int64N(17) {
		rs = append(rs, codec.Range{Start: at, End: at + 1})
	}
	return codec.State{Max: 100_000_020, Gaps: codec.NewRanges(rs...)}
}
