package gapstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// workerEnv holds what a worker process has to know: an address, a group, a
// topic, the file that it writes, how it shares, and its instance ID or "-".
const workerEnv = "GAPCTL_TEST_WORKER"

// workerSession is how long the group waits for a worker that was killed.
const workerSession = 6 * time.Second

// workerPatience is how long a worker waits for records before it gives up.
const workerPatience = 2 * time.Minute

// worker is a process that is killed at any moment. It writes down what it
// processed before it marks it as done, and what was committed after that.
type worker struct {
	journal *os.File
	mu      sync.Mutex
	done    []workerJob // since the last commit
}

// workerJob is a record in hand, and the session in which it came. What is
// done in a session that has ended may not be committed: another member does
// it again.
type workerJob struct {
	*kgo.Record
	session *session
}

func (c *Consumer) session() *session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.now
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
	var addr, group, topic, path, instance string
	var sharing Sharing
	if _, err := fmt.Sscan(os.Getenv(workerEnv), &addr, &group, &topic, &path, &sharing, &instance); err != nil {
		panic(err)
	}
	if instance == "-" {
		instance = ""
	}
	journal, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	w := &worker{journal: journal}
	if err != nil {
		w.fail(err)
	}
	c, err := NewConsumer(context.Background(), dialTo(addr), ConsumerOptions{
		Group: group, Topics: []string{topic}, Instance: instance, Sharing: sharing,
		Client: []kgo.Opt{kgo.SessionTimeout(workerSession), kgo.HeartbeatInterval(500 * time.Millisecond)},
	})
	if err != nil {
		w.fail(err)
	}
	lanes := make([]chan workerJob, 16)
	for i := range lanes {
		lanes[i] = make(chan workerJob)
		go w.work(c, lanes[i])
	}
	go w.commit(c)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), workerPatience)
		records, err := c.Poll(ctx, 200)
		cancel()
		if err != nil && !passes(err) {
			stacks := make([]byte, 1<<20)
			w.fail(fmt.Errorf("%w\n%s", err, stacks[:runtime.Stack(stacks, true)]))
		}
		session := c.session()
		for _, r := range records {
			lane := rand.IntN(len(lanes))
			if r.Key != nil { // the records of one key are done one by one
				lane = int(codec.Murmur2(r.Key)&0x7fffffff) % len(lanes)
			}
			lanes[lane] <- workerJob{r, session}
		}
	}
}

// passes: an error that a rebalance, or another worker's death, brings along.
func passes(err error) bool {
	return errors.Is(err, ErrLost) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome)
}

// work processes records, some of them slowly, so that they finish in any order.
func (w *worker) work(c *Consumer, jobs <-chan workerJob) {
	for r := range jobs {
		if rand.IntN(20) == 0 {
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // the work
		}
		w.note('P', []*kgo.Record{r.Record})
		w.mu.Lock()
		c.Done(r.Record)
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
		session := c.session()
		err := c.Commit(context.Background())
		if err != nil && !passes(err) {
			w.fail(err)
		}
		if err == nil && c.session() == session {
			var committed []*kgo.Record
			for _, r := range done {
				if r.session == session {
					committed = append(committed, r.Record)
				}
			}
			w.note('C', committed)
		}
		time.Sleep(5 * time.Millisecond) // between commits
	}
}
