// Command barecopy is the floor that gapctl's replay is measured against: a
// plain loop that consumes a topic and produces it to another, in transactions
// of the same size.
//
//	barecopy [-headers] [-every N] ADDRESS FROM TO RECORDS
//
// RECORDS is how many it reads. With -headers each copy says where it comes from,
// in the headers that Kafka gives a record in a dead-letter topic (KIP-1191).
// With -every it only copies each Nth record of a partition, from the first on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

const recordsPerTransaction, bytesPerTransaction = 25_000, 8 << 20 // as gapctl

func main() {
	headers := flag.Bool("headers", false, "say where each copy comes from")
	every := flag.Int64("every", 1, "copy one record in so many")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	n, err := strconv.Atoi(flag.Arg(3))
	if err == nil {
		err = run(ctx, flag.Arg(0), copier{from: flag.Arg(1), to: flag.Arg(2), left: n, headers: *headers, every: *every})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "barecopy:", err)
		os.Exit(1)
	}
}

type copier struct {
	from, to string
	left     int // records to read
	headers  bool
	every    int64
}

func run(ctx context.Context, addr string, c copier) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics(c.from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.TransactionalID("barecopy-"+c.to), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	if err != nil {
		return err
	}
	defer client.Close()
	for c.left > 0 {
		records, err := c.gather(ctx, client)
		if err != nil {
			return err
		}
		if err := client.BeginTransaction(); err != nil {
			return err
		}
		if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
			return err
		}
		if err := client.EndTransaction(ctx, kgo.TryCommit); err != nil {
			return err
		}
	}
	return nil
}

// gather is the copies of one transaction.
func (c *copier) gather(ctx context.Context, client *kgo.Client) (records []*kgo.Record, err error) {
	for size := 0; len(records) < recordsPerTransaction && size < bytesPerTransaction && c.left > 0; {
		fetches := client.PollRecords(ctx, min(recordsPerTransaction-len(records), c.left))
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			c.left--
			if r.Offset%c.every != 0 {
				return
			}
			copied := &kgo.Record{Topic: c.to, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp}
			if c.headers {
				copied.Headers = append(copied.Headers, origin(r, c.to)...)
			}
			records = append(records, copied)
			size += len(r.Key) + len(r.Value)
		})
	}
	return records, nil
}

// origin says where r comes from, in as many bytes as gapctl's copies do.
func origin(r *kgo.Record, group string) []kgo.RecordHeader {
	return []kgo.RecordHeader{
		{Key: gapstore.CopiedTopic, Value: []byte(r.Topic)},
		{Key: gapstore.CopiedPartition, Value: strconv.AppendInt(nil, int64(r.Partition), 10)},
		{Key: gapstore.CopiedOffset, Value: strconv.AppendInt(nil, r.Offset, 10)},
		{Key: gapstore.CopiedGroup, Value: []byte(group)},
		{Key: gapstore.CopiedDeliveries, Value: []byte("0")},
		{Key: gapstore.CopiedMessage, Value: []byte("Replayed by gapctl: outstanding")},
		{Key: "__gapctl.replay.count", Value: []byte("1")},
	}
}
