// Command bareconsumer is what reading a few records of a topic is measured
// against: it reads all of them, with a plain loop, and keeps none.
//
//	bareconsumer ADDRESS TOPIC RECORDS
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "bareconsumer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, topic, records string) error {
	left, err := strconv.Atoi(records)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxPartitionBytes(8<<20)) // the default of 1 MiB is slower here
	if err != nil {
		return err
	}
	defer client.Close()
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return err
		}
		left -= fetches.NumRecords()
	}
	return nil
}
