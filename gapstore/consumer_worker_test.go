package gapstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// workerEnv holds what a worker process has to know: an address, a group, a
// topic, and the file that it writes.
const workerEnv = "GAPCTL_TEST_WORKER"

// workerPatience is how long a worker waits for records before it gives up.
const workerPatience = 40 * time.Second

// worker is a process that is killed at any moment. It writes down what it
// processed before it marks it as done, and what was committed after that.
type worker struct {
	journal *os.File
	mu      sync.Mutex
	done    []*kgo.Record // since the last commit
}

// note appends lines to the journal in one write, which a kill can not divide.
func (w *worker) note(kind byte, records []*kgo.Record) {
	var b bytes.Buffer
	for _, r := range records {
		fmt.Fprintf(&b, "%c %d %d\n", kind, r.Partition, r.Offset)
	}
	if _, err := w.journal.Write(b.Bytes()); err != nil {
		w.fail(err)
	}
}

func (w *worker) fail(err error) {
	fmt.Fprintln(os.Stderr, "worker:", err)
	os.Exit(1)
}

// runWorker never returns.
func runWorker() {
	var addr, group, topic, path string
	if _, err := fmt.Sscan(os.Getenv(workerEnv), &addr, &group, &topic, &path); err != nil {
		panic(err)
	}
	journal, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	w := &worker{journal: journal}
	if err != nil {
		w.fail(err)
	}
	c, err := NewConsumer(context.Background(), dialTo(addr), ConsumerOptions{
		Group: group, Topics: []string{topic}, Instance: "worker-1",
		Client: []kgo.Opt{kgo.SessionTimeout(10 * time.Second)},
	})
	if err != nil {
		w.fail(err)
	}
	jobs := make(chan *kgo.Record)
	for range 16 {
		go w.work(c, jobs)
	}
	go w.commit(c)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), workerPatience)
		records, err := c.Poll(ctx, 200)
		cancel()
		if err != nil {
			stacks := make([]byte, 1<<20)
			w.fail(fmt.Errorf("%w\n%s", err, stacks[:runtime.Stack(stacks, true)]))
		}
		for _, r := range records {
			jobs <- r
		}
	}
}

// work processes records, some of them slowly, so that they finish in any order.
func (w *worker) work(c *Consumer, jobs <-chan *kgo.Record) {
	for r := range jobs {
		if rand.IntN(20) == 0 {
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // the work
		}
		one := []*kgo.Record{r}
		w.note('P', one)
		w.mu.Lock()
		c.Done(r)
		w.done = append(w.done, r)
		w.mu.Unlock()
	}
}

func (w *worker) commit(c *Consumer) {
	for {
		w.mu.Lock()
		done := w.done
		w.done = nil
		w.mu.Unlock()
		if err := c.Commit(context.Background()); err != nil {
			w.fail(err)
		}
		w.note('C', done)
		time.Sleep(5 * time.Millisecond) // between commits
	}
}
