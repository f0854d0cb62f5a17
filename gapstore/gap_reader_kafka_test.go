package gapstore

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

func TestKafkaReadRecords(t *testing.T) {
	t.Parallel()
	const partitions = 3
	broker := kafkatest.Shared(t)
	broker.CreateTopic("read-records", partitions, nil)
	topic := fillInTransactions(t, broker.Addr(), "read-records", partitions, 10)
	s := openStore(t, broker.Addr())
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		var targets []Target
		for _, p := range random.Perm(partitions)[:1+random.IntN(partitions)] {
			targets = append(targets, Target{topic.name, int32(p), someRanges(random, topic.ends[p]+5)})
		}
		checkFound(t, s, topic, targets, ReadOptions{Order: Order(round % 2), Memory: []int64{0, 1 << 13}[random.IntN(2)]})
	}
}

// BenchmarkReadRecords compares 1,000 gaps in 10,000,000 offsets with reading
// all that lies between, and dense gaps with the client's own consumer.
func BenchmarkReadRecords(b *testing.B) {
	const partitions, each = 4, 2_500_000
	broker := kafkatest.Shared(b)
	broker.CreateTopic("span", partitions, nil)
	fillFast(b, broker, "span", partitions, each)
	s := openStore(b, broker.Addr())
	sparse, dense, halves := make([]Target, partitions), make([]Target, partitions), make([]Target, partitions)
	for p := range int32(partitions) {
		var gaps, half []codec.Range
		for i := range int64(250) {
			at := i*each/250 + rand.Int64N(each/250)
			gaps = append(gaps, codec.Range{Start: at, End: at + 1})
		}
		for at := int64(0); at < 1_000_000/partitions*2; at += 20 {
			half = append(half, codec.Range{Start: at, End: at + 10})
		}
		sparse[p] = Target{"span", p, codec.NewRanges(gaps...)}
		dense[p] = Target{"span", p, codec.NewRanges(codec.Range{End: 1_000_000 / partitions})}
		halves[p] = Target{"span", p, codec.NewRanges(half...)}
	}
	for _, c := range []struct {
		name    string
		targets []Target
		want    int
	}{{"gaps-1000-in-10M", sparse, 1000}, {"dense-1M", dense, 1_000_000}, {"half-1M", halves, 1_000_000}} {
		for _, order := range []Order{ByPartition, ByArrival} {
			b.Run(c.name+"/order-"+strconv.Itoa(int(order)), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					for f, err := range s.ReadRecords(b.Context(), c.targets, ReadOptions{Order: order}) {
						if err != nil || f.Record == nil {
							b.Fatal(f, err)
						}
						n++
					}
					if n != c.want {
						b.Fatal(n)
					}
				}
			})
		}
	}
	for _, n := range []int{1_000_000, partitions * each} {
		b.Run(fmt.Sprintf("plain-consumer-%d", n), func(b *testing.B) {
			for b.Loop() {
				consume(b, broker, "span", n)
			}
		})
	}
}

func fillFast(b *testing.B, broker *kafkatest.Broker, topic string, partitions int32, each int) {
	b.Helper()
	client := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(200_000), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(16<<10)) // the batch.size of Java producers
	value := make([]byte, 40)
	failed := make(chan error, 1)
	for i := range each {
		for p := range partitions {
			client.Produce(b.Context(), &kgo.Record{Topic: topic, Partition: p, Key: strconv.AppendInt(nil, int64(i), 10), Value: value}, func(_ *kgo.Record, err error) {
				if err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			})
		}
	}
	if err := client.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	select {
	case err := <-failed:
		b.Fatal(err)
	default:
	}
}

func consume(b *testing.B, broker *kafkatest.Broker, topic string, n int) {
	b.Helper()
	client, err := dialTo(broker.Addr())(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for got := 0; got < n; {
		fetches := client.PollFetches(b.Context())
		if err := fetches.Err(); err != nil {
			b.Fatal(err)
		}
		got += fetches.NumRecords()
	}
}
