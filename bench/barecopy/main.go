// Command barecopy is the floor that gapctl's replay is measured against: a
// plain loop that consumes a topic and produces it to another, in transactions
// of the same size.
//
//	barecopy ADDRESS FROM TO RECORDS [HEADERS]
//
// With HEADERS each copy says where it comes from, in the headers that Kafka
// gives a record in a dead-letter topic (KIP-1191).
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

const recordsPerTransaction, bytesPerTransaction = 25_000, 8 << 20 // as gapctl

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	n, err := strconv.Atoi(os.Args[4])
	if err == nil {
		err = run(ctx, os.Args[1], os.Args[2], os.Args[3], n, len(os.Args) > 5)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "barecopy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, from, to string, n int, headers bool) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics(from), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.TransactionalID("barecopy-"+to), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	if err != nil {
		return err
	}
	defer client.Close()
	for copied := 0; copied < n; {
		var records []*kgo.Record
		size := 0
		for len(records) < recordsPerTransaction && size < bytesPerTransaction && copied+len(records) < n {
			fetches := client.PollRecords(ctx, min(recordsPerTransaction-len(records), n-copied-len(records)))
			if err := fetches.Err(); err != nil {
				return err
			}
			fetches.EachRecord(func(r *kgo.Record) {
				c := &kgo.Record{Topic: to, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp}
				if headers {
					c.Headers = append(c.Headers, origin(r, to)...)
				}
				records = append(records, c)
				size += len(r.Key) + len(r.Value)
			})
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
		copied += len(records)
	}
	return nil
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
