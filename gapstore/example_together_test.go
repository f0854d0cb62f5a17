package gapstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

// Three members share the only partition of a topic. Each gets the records of
// its keys, in their order, and commits what it has done.
func Example_together() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dial := cluster("invoices", 300)

	var done atomic.Int64
	var members sync.WaitGroup
	for range 3 {
		members.Go(func() {
			c, err := gapstore.NewConsumer(ctx, dial, gapstore.ConsumerOptions{
				Group:   "billing",
				Topics:  []string{"invoices"},
				Sharing: gapstore.ByKey,
			})
			if err != nil {
				log.Fatal(err)
			}
			for ctx.Err() == nil {
				records, err := c.Poll(ctx, 10)
				if err != nil && ctx.Err() == nil {
					log.Print(err) // a rebalance, or a broker, came between; it goes on
				}
				for _, r := range records {
					bill(r)
					c.Done(r)
				}
				if err := c.Commit(ctx); err == nil && done.Add(int64(len(records))) >= 300 {
					stop()
				}
			}
			if err := c.Close(context.Background()); err != nil && !errors.Is(err, gapstore.ErrLost) {
				log.Fatal(err)
			}
		})
	}
	members.Wait()
	fmt.Println("done:", done.Load())
	// Output: done: 300
}

// bill is the work.
func bill(*kgo.Record) {}
