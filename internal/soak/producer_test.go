//go:build linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

const (
	pace      = 100 * time.Millisecond
	burst     = 8 // records each time
	keys      = 200
	txnPace   = 700 * time.Millisecond
	txnLimit  = 20 * time.Second
	lastFlush = 90 * time.Second // and the last transaction
)

// offsets are those that the brokers have acknowledged, by partition.
type offsets struct {
	mu sync.Mutex
	of [partitions][]codec.Range
	n  int
}

func newOffsets() *offsets { return &offsets{} }

func (o *offsets) add(r *kgo.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
	of := &o.of[r.Partition]
	if last := len(*of) - 1; last >= 0 && (*of)[last].End == r.Offset {
		(*of)[last].End++
		return
	}
	*of = append(*of, codec.Range{Start: r.Offset, End: r.Offset + 1})
}

func (o *offsets) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

// ranges are the acknowledged offsets of a partition.
func (o *offsets) ranges(partition int32) codec.Ranges {
	o.mu.Lock()
	defer o.mu.Unlock()
	return codec.NewRanges(o.of[partition]...)
}

func (s *soak) record(n int) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: -1, Key: fmt.Appendf(nil, "key-%d", rand.IntN(keys)), Value: fmt.Appendf(nil, "%d", n)}
}

// produce writes at a steady pace, each record until it is acknowledged.
func (s *soak) produce(ctx context.Context) {
	client, err := s.dial(kgo.MaxBufferedRecords(100_000))
	if err != nil {
		s.fail("producer", "%v", err)
		return
	}
	defer client.Close()
	lasting, end := outlast(ctx, lastFlush)
	defer end()
	for n := 0; pause(ctx, pace); {
		for range burst {
			client.TryProduce(lasting, s.record(n), func(r *kgo.Record, err error) {
				if err != nil {
					s.t.Logf("a record was not acknowledged: %v", err)
					return
				}
				s.acked.add(r)
			})
			n++
		}
	}
	if err := client.Flush(lasting); err != nil {
		s.fail("producer", "the last records: %v", err)
	}
}

// topOff sees to it that no partition ends with a record that always fails: one
// with nothing after it is no gap, but lag, which no replay delivers.
func (s *soak) topOff() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, lastFlush)
	defer cancel()
	client := s.cluster.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for p := range int32(partitions) {
		for s.acked.ranges(p).Bounds().End%failing == 1 {
			r := s.record(0)
			r.Partition = p
			if err := client.ProduceSync(ctx, r).FirstErr(); err != nil {
				s.t.Fatalf("the last record of partition %d: %v", p, err)
			}
			s.acked.add(r)
		}
	}
}

// outlast is a context that ends so much later than ctx.
func outlast(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(by, cancel) })
	return later, cancel
}

func (s *soak) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(extra, kgo.SeedBrokers(s.seeds()...))...)
}

// produceTransactions leaves markers in the log, and records of transactions
// that were aborted.
func (s *soak) produceTransactions(ctx context.Context) {
	lasting, end := outlast(ctx, lastFlush)
	defer end()
	for ctx.Err() == nil {
		client, err := gapstore.NewProducer(s.dial, kgo.TransactionalID(plainID), kgo.TransactionTimeout(txnLimit),
			kgo.WithContext(lasting)) // to begin a transaction takes no other
		if err != nil {
			s.fail("producer", "%v", err)
			return
		}
		for err == nil && pause(ctx, txnPace) {
			err = s.transaction(lasting, client)
		}
		if err != nil {
			s.t.Logf("a transaction: %.100s", err.Error())
		}
		client.Close()
	}
}

// transaction writes a few records and mostly commits them. What it has left
// undone after an error is aborted by the next client.
func (s *soak) transaction(ctx context.Context, client *gapstore.Producer) error {
	ctx, cancel := context.WithTimeout(ctx, 2*txnLimit)
	defer cancel()
	if err := client.BeginTransaction(); err != nil {
		return err
	}
	var records []*kgo.Record
	for n := range 1 + rand.IntN(5) {
		records = append(records, s.record(n))
	}
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return err
	}
	if rand.IntN(3) == 0 {
		return client.EndTransaction(ctx, kgo.TryAbort)
	}
	if err := client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return err // it may be committed or not: nobody counts on it
	}
	for _, r := range records {
		s.acked.add(r)
	}
	return nil
}
