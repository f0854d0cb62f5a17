package gapstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// retryWorkerEnv holds what a worker process whose records fail has to know: an
// address, a topic, how it shares, the order that it keeps, and its instance ID
// or "-".
const retryWorkerEnv = "GAPCTL_TEST_RETRY_WORKER"

// retryOf is the retry of these workers.
func retryOf(order RetryOrder) Retry {
	return Retry{Attempts: shiftAttempts, Order: order, Hold: 300, Delay: func(n int) time.Duration {
		return time.Duration(n) * 50 * time.Millisecond
	}}
}

// runRetryWorker processes records until it is killed, or asked to end. It never
// returns.
func runRetryWorker() {
	var addr, topic, instance string
	var sharing Sharing
	var consumer bool
	var order RetryOrder
	if _, err := fmt.Sscan(os.Getenv(retryWorkerEnv), &addr, &topic, &sharing, &consumer, &order, &instance); err != nil {
		panic(err)
	}
	if instance == "-" {
		instance = ""
	}
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := &shift{retrying: retryingOf(&work{group: topic, topic: topic, dial: dialTo(addr)}, retryOf(order))}
	protocol := []kgo.Opt{kgo.SessionTimeout(6 * time.Second), kgo.HeartbeatInterval(500 * time.Millisecond)}
	if consumer {
		protocol = []kgo.Opt{kgo.ServerSideBalancer()}
	}
	c, err := NewConsumer(context.Background(), s.dial, ConsumerOptions{
		Group: topic, Topics: []string{topic}, Instance: instance, Sharing: sharing, Retry: &s.retry, Drain: time.Second, Client: protocol,
	})
	end := func(err error) {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	if err != nil {
		end(err)
	}
	jobs := make(chan *kgo.Record)
	var busy sync.WaitGroup
	for range 8 {
		busy.Go(func() {
			for r := range jobs {
				if rand.IntN(50) == 0 {
					time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond) // the work
				}
				s.process(c, r)
			}
		})
	}
	go func() {
		for {
			if err := c.Commit(context.Background()); err != nil && !passes(err) {
				end(err)
			}
			time.Sleep(10 * time.Millisecond) // between commits
		}
	}()
	for asked.Err() == nil {
		records, err := c.Poll(asked, 200)
		if err != nil && !passes(err) && asked.Err() == nil {
			end(err)
		}
		for _, r := range records {
			jobs <- r
		}
	}
	close(jobs)
	busy.Wait()
	if err := c.Close(context.Background()); err != nil && !passes(err) {
		end(err)
	}
	os.Exit(0)
}
