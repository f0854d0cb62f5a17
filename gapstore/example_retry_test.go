package gapstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

// Each invoice gives one receipt, exactly once. One that fails is tried again
// from a retry topic, and in the end lies in a dead-letter topic; those after it
// do not wait, as no order is asked for.
func Example_retry() {
	ctx := context.Background()
	dial := cluster("invoices", 5, "invoices-retry", "invoices-dead", "receipts")
	c, err := gapstore.NewConsumer(ctx, dial, gapstore.ConsumerOptions{
		Group:  "billing",
		Topics: []string{"invoices"},
		Retry: &gapstore.Retry{
			Topic:      "invoices-retry",
			DeadLetter: "invoices-dead",
			Attempts:   3,
			Delay:      func(failures int) time.Duration { return time.Duration(failures) * 10 * time.Millisecond },
			Order:      gapstore.OrderNone,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for n := 0; n < 4+3; { // deliveries: four invoices once, and one three times
		records, err := c.Poll(ctx, 10)
		if err != nil {
			log.Print(err) // a rebalance, or a broker, came between; it goes on
		}
		for _, r := range records {
			receipt, err := charge(r)
			if err == nil {
				err = c.Finish(r, receipt)
			}
			if err != nil {
				err = c.Fail(r, err)
			}
			if err != nil {
				log.Fatal(err) // too large to be copied
			}
		}
		n += len(records)
		if err := c.Commit(ctx); err != nil {
			log.Print(err)
		}
	}
	if err := c.Close(ctx); err != nil {
		log.Fatal(err)
	}
	show(dial, "receipts", 4)
	show(dial, "invoices-dead", 1)
	// Output:
	// receipts: receipt of invoice 0
	// receipts: receipt of invoice 1
	// receipts: receipt of invoice 3
	// receipts: receipt of invoice 4
	// invoices-dead: invoice 2, failed 3 times: no money
}

// charge is the work.
func charge(r *kgo.Record) (*kgo.Record, error) {
	if string(r.Value) == "invoice 2" {
		return nil, errors.New("no money")
	}
	return &kgo.Record{Topic: "receipts", Key: r.Key, Value: append([]byte("receipt of "), r.Value...)}, nil
}

// show prints what read-committed readers get of a topic.
func show(dial gapstore.Dial, topic string, n int) {
	cl, err := dial(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	for n > 0 {
		cl.PollFetches(context.Background()).EachRecord(func(r *kgo.Record) {
			n--
			if origin, ok := gapstore.OriginOf(r); ok {
				why, _ := gapstore.HeaderOf(r, gapstore.CopiedMessage)
				fmt.Printf("%s: %s, failed %d times: %s\n", topic, r.Value, origin.Deliveries, why)
				return
			}
			fmt.Printf("%s: %s\n", topic, r.Value)
		})
	}
}
