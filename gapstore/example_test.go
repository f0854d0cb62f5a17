package gapstore_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

// A pool of workers that finish out of order. One record takes for ever; the
// process ends, and the next one gets that record, and none of the others.
func Example() {
	ctx := context.Background()
	dial := cluster("invoices", 20)

	c := join(ctx, dial)
	jobs := make(chan *kgo.Record) // without room: what is in hand is what is worked on
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for r := range jobs {
				if string(r.Value) == "invoice 3" {
					continue // it takes for ever: never done
				}
				c.Done(r)
			}
		})
	}
	for n := 0; n < 20; {
		records, err := c.Poll(ctx, 10)
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range records {
			jobs <- r
		}
		n += len(records)
		if err := c.Commit(ctx); err != nil { // or every second, in a goroutine of its own
			log.Fatal(err)
		}
	}
	close(jobs)
	workers.Wait()
	if err := c.Close(ctx); err != nil { // commits what is done
		log.Fatal(err)
	}

	c = join(ctx, dial)
	records, err := c.Poll(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range records {
		fmt.Println("delivered again:", string(r.Value))
	}
	c.Done(records...)
	if err := c.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: delivered again: invoice 3
}

func join(ctx context.Context, dial gapstore.Dial) *gapstore.Consumer {
	c, err := gapstore.NewConsumer(ctx, dial, gapstore.ConsumerOptions{
		Group:    "billing",
		Topics:   []string{"invoices"},
		Instance: "worker-1", // such as the name of a pod in a StatefulSet
	})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// cluster is an embedded one with n records in a topic, and more topics. A real
// one takes
//
//	func(extra ...kgo.Opt) (*kgo.Client, error) {
//		return kgo.NewClient(append(extra, kgo.SeedBrokers("kafka:9092"))...)
//	}
func cluster(topic string, n int, more ...string) gapstore.Dial {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, append(more, topic)...))
	if err != nil {
		log.Fatal(err)
	}
	dial := func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append(extra, kgo.SeedBrokers(c.ListenAddrs()...), kgo.FetchMaxWait(50*time.Millisecond))...)
	}
	cl, err := dial()
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	for i := range n {
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, "invoice %d", i)}, nil)
	}
	if err := cl.Flush(context.Background()); err != nil {
		log.Fatal(err)
	}
	return dial
}
