package gapstore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/gapctl/gapctl/codec"
)

// readTopic is a topic with what a consumer gets of it.
type readTopic struct {
	name    string
	ends    []int64               // by partition
	records []map[int64]time.Time // by partition and offset
}

// fillInTransactions writes records in transactions, some of which abort, with
// every codec, in batches of all sizes.
func fillInTransactions(t testing.TB, addr, name string, partitions int32, transactions int) readTopic {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	topic := readTopic{name: name, ends: make([]int64, partitions), records: make([]map[int64]time.Time, partitions)}
	for i := range topic.records {
		topic.records[i] = map[int64]time.Time{}
	}
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
	start := time.UnixMilli(1_700_000_000_000)
	for c, compression := range codecs {
		client, err := NewProducer(dialTo(addr), kgo.TransactionalID(fmt.Sprintf("%s-%d", name, c)), kgo.ProducerBatchCompression(compression))
		if err != nil {
			t.Fatal(err)
		}
		for range transactions {
			if err := client.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			abort := random.IntN(3) == 0
			var records []*kgo.Record
			for range 1 + random.IntN(60) {
				records = append(records, &kgo.Record{
					Topic: name, Partition: random.Int32N(partitions), Key: []byte("k"), Value: make([]byte, random.IntN(300)),
					Timestamp: start.Add(time.Duration(random.IntN(100_000)) * time.Millisecond),
				})
			}
			if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := client.EndTransaction(t.Context(), kgo.TransactionEndTry(!abort)); err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if !abort {
					topic.records[r.Partition][r.Offset] = r.Timestamp
				}
			}
		}
		client.Close()
	}
	client, err := dialTo(addr)()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListCommittedOffsets(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	ends.Each(func(o kadm.ListedOffset) { topic.ends[o.Partition] = o.Offset })
	return topic
}

// someRanges are random ranges below end, of all densities.
func someRanges(random *rand.Rand, end int64) codec.Ranges {
	var rs []codec.Range
	most := 1 << random.IntN(8)
	for at := int64(0); at < end; {
		start := at + random.Int64N(int64(most))
		at = start + 1 + random.Int64N(int64(most))
		rs = append(rs, codec.Range{Start: start, End: at})
	}
	return codec.NewRanges(rs...)
}

// checkFound reads targets and compares what is told with what is there, down
// to the order and to the last offset.
func checkFound(t *testing.T, s *Store, topic readTopic, targets []Target, o ReadOptions) {
	t.Helper()
	told := make([]codec.Ranges, len(topic.ends))
	var arrivals []Found
	last := map[int32]int64{}
	turn := -1
	for f, err := range s.ReadRecords(t.Context(), targets, o) {
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(targets, func(x Target) bool { return x.Partition == f.Partition })
		if o.Order == ByPartition && at < turn {
			t.Fatalf("partition %d after %d", f.Partition, targets[turn].Partition)
		}
		turn = at
		if f.Offsets.Start < last[f.Partition] {
			t.Fatalf("%v after %d", f, last[f.Partition])
		}
		last[f.Partition] = f.Offsets.End
		told[f.Partition] = told[f.Partition].Union(codec.NewRanges(f.Offsets))
		if f.Record != nil {
			arrivals = append(arrivals, f)
		}
		for offset := f.Offsets.Start; offset < f.Offsets.End; offset++ {
			at, there := topic.records[f.Partition][offset]
			if there != (f.Record != nil) || there && (!at.Equal(f.Record.Timestamp) || f.Record.Offset != offset) {
				t.Fatalf("offset %d of %d: there: %t, told %v", offset, f.Partition, there, f)
			}
		}
	}
	for _, target := range targets {
		want := target.Ranges.Clip(codec.Range{End: topic.ends[target.Partition]})
		if !told[target.Partition].Equal(want) {
			t.Fatalf("partition %d: told %v, want %v", target.Partition, told[target.Partition], want)
		}
	}
	checkMerged(t, arrivals, o.Order)
}

// checkMerged: of the heads of all partitions, always the least comes first.
func checkMerged(t *testing.T, got []Found, order Order) {
	t.Helper()
	if order != ByArrival {
		return
	}
	queues := map[int32][]Found{}
	for _, f := range got {
		queues[f.Partition] = append(queues[f.Partition], f)
	}
	for _, f := range got {
		for p, queue := range queues {
			if len(queue) > 0 && cmp.Or(queue[0].Record.Timestamp.Compare(f.Record.Timestamp), cmp.Compare(p, f.Partition)) < 0 {
				t.Fatalf("%v before %v", f, queue[0])
			}
		}
		queues[f.Partition] = queues[f.Partition][1:]
	}
}

func TestReadRecordsTellsEveryOffsetOnce(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const partitions = 6
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(partitions, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	topic := fillInTransactions(t, c.ListenAddrs()[0], "orders", partitions, 6)
	s, err := Open(t.Context(), dialTo(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		var targets []Target
		for _, p := range random.Perm(partitions)[:1+random.IntN(partitions)] {
			targets = append(targets, Target{"orders", int32(p), someRanges(random, topic.ends[p]+5)})
		}
		o := ReadOptions{Order: Order(round % 2), Memory: []int64{0, 1 << 12, 1 << 16}[random.IntN(3)]}
		checkFound(t, s, topic, targets, o)
	}
}

// Logs with many gaps far apart share requests to the end.
func TestReadRecordsSharesRequests(t *testing.T) {
	t.Parallel()
	const partitions, gaps, apart = 4, 150, 400
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := openStore(t, c.ListenAddrs()...)
	client, err := dialTo(c.ListenAddrs()...)(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic("orders"),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(8<<10), kgo.MaxBufferedRecords(partitions*gaps*apart))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	value := make([]byte, 100)
	var records []*kgo.Record
	var targets []Target
	for p := range int32(partitions) {
		var ranges []codec.Range
		for i := range int64(gaps * apart) {
			records = append(records, &kgo.Record{Partition: p, Value: value})
			if i%apart == 0 {
				ranges = append(ranges, codec.Range{Start: i, End: i + 1})
			}
		}
		targets = append(targets, Target{"orders", p, codec.NewRanges(ranges...)})
	}
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int32
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		requests.Add(1)
		return nil, nil, false
	})
	found := 0
	for f, err := range s.ReadRecords(t.Context(), targets, ReadOptions{}) {
		if err != nil || f.Record == nil {
			t.Fatal(f, err)
		}
		found++
	}
	if n := requests.Load(); found != partitions*gaps || n > 2*gaps {
		t.Errorf("%d records in %d requests: each could have asked for %d of them", found, n, partitions)
	}
}
