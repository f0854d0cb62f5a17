//go:build linux

package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// workerEnv holds a role, as JSON.
const workerEnv = "GAPCTL_TEST_SOAK_WORKER"

const (
	workerSession = 8 * time.Second
	lanes         = 16
	closeLimit    = 20 * time.Second
	statsPace     = time.Second
)

// role is what a consumer process has to know.
type role struct {
	Seeds    []string
	Group    string
	Share    bool // a share group, not gapstore
	Sharing  gapstore.Sharing
	Instance string
	Fails    int64  // the offsets divisible by it are never done; none where 0
	Journal  string // the file for what it processes
	Odd      string // the file for errors without a class
	Stats    string // the file for how many goroutines it has, or ""
}

// consumer is a process that is killed at any moment. It writes down what it
// processes before that is marked as done.
type consumer struct {
	role
	journal *os.File
	begun   time.Duration
}

// runWorker never returns.
func runWorker() {
	w := &consumer{begun: monotonic()}
	err := json.Unmarshal([]byte(os.Getenv(workerEnv)), &w.role)
	if err == nil {
		w.journal, err = os.OpenFile(w.Journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		fail(err)
	}
	go dieWithParent()
	if w.Stats != "" {
		go w.writeStats()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if w.Share {
		err = w.share(ctx)
	} else {
		err = w.consume(ctx)
	}
	if err != nil {
		fail(err)
	}
	os.Exit(0)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "consumer:", err)
	os.Exit(1)
}

// dieWithParent keeps a consumer from outliving the test: it holds the other
// end of standard input.
func dieWithParent() {
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(1)
}

// note writes a line in one write, which a kill can not divide.
func (w *consumer) note(r *kgo.Record) {
	if _, err := fmt.Fprintf(w.journal, "%d %d %d %d\n", r.Partition, r.Offset, w.begun, monotonic()); err != nil {
		fail(err)
	}
}

func (w *consumer) writeStats() {
	file, err := os.OpenFile(w.Stats, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fail(err)
	}
	for {
		runtime.GC() // so that only what is in use counts
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(file, "%d %d\n", runtime.NumGoroutine(), m.HeapAlloc)
		time.Sleep(statsPace)
	}
}

// consume is a consumer on gapstore. It ends in good order when ctx does.
func (w *consumer) consume(ctx context.Context) error {
	c, err := w.join(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil // it is to end before it has begun
		}
		return err
	}
	hands := make([]chan *kgo.Record, lanes)
	for i := range hands {
		hands[i] = make(chan *kgo.Record)
		go w.work(c, hands[i])
	}
	go w.commit(ctx, c)
	for ctx.Err() == nil {
		records, err := c.Poll(ctx, 100)
		if unread := (*codec.Error)(nil); errors.As(err, &unread) {
			return fmt.Errorf("poll: %w", err) // its gaps can not be read
		}
		if err != nil && ctx.Err() == nil {
			w.outlive("poll", err)
		}
		for _, r := range records {
			hands[codec.Murmur2(r.Key)&0x7fffffff%lanes] <- r // those of a key one by one
		}
	}
	closing, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := c.Close(closing); err != nil && !passes(err) {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// join tries until the cluster lets it.
func (w *consumer) join(ctx context.Context) (*gapstore.Consumer, error) {
	dial := func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(w.Seeds...)}, extra...)...)
	}
	for {
		try, cancel := context.WithTimeout(ctx, 30*time.Second)
		c, err := gapstore.NewConsumer(try, dial, gapstore.ConsumerOptions{
			Group: w.Group, Topics: []string{topic}, Instance: w.Instance, Sharing: w.Sharing,
			Native: gapstore.NativeOptions{Partitions: partitions},
			Client: []kgo.Opt{
				kgo.SessionTimeout(workerSession), kgo.HeartbeatInterval(500 * time.Millisecond),
				kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(500 * time.Millisecond),
			},
		})
		cancel()
		if err == nil || !passes(err) {
			return c, err
		}
		fmt.Fprintln(os.Stderr, "join:", err)
		time.Sleep(200 * time.Millisecond)
	}
}

// passes: an error that the troubles of a cluster bring along.
func passes(err error) bool {
	return errors.Is(err, gapstore.ErrLost) || errors.Is(err, gapstore.ErrUnavailable) ||
		errors.Is(err, gapstore.ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded)
}

// work processes records, some of them slowly, so that they finish in any order.
func (w *consumer) work(c *gapstore.Consumer, records <-chan *kgo.Record) {
	for r := range records {
		if w.Fails > 0 && r.Offset%w.Fails == 0 {
			c.Release(r)
			continue
		}
		switch rand.IntN(500) {
		case 0:
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond) // a stuck record
		case 1, 2, 3, 4, 5, 6, 7, 8:
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
		}
		w.note(r)
		c.Done(r)
	}
}

func (w *consumer) commit(ctx context.Context, c *gapstore.Consumer) {
	for pause(ctx, 100*time.Millisecond) {
		if err := c.Commit(ctx); err != nil && ctx.Err() == nil {
			w.outlive("commit", err)
		}
	}
}

// outlive goes on after an error, as a consumer may. One of no class that would
// tell it to is noted, for the log.
func (w *consumer) outlive(what string, err error) {
	if !passes(err) {
		file, failed := os.OpenFile(w.Odd, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if failed != nil {
			fail(failed)
		}
		fmt.Fprintf(file, "%s %s: %q\n", w.Group, what, err.Error())
		_ = file.Close()
	}
	time.Sleep(50 * time.Millisecond) // before it is tried again
}

// share is a member of a share group.
func (w *consumer) share(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(w.Seeds...), kgo.ShareGroup(w.Group), kgo.ConsumeTopics(topic),
		kgo.ShareMaxRecords(100), kgo.FetchMaxWait(500*time.Millisecond))
	if err != nil {
		return err
	}
	defer client.Close()
	for ctx.Err() == nil {
		fetches := client.PollRecords(ctx, 50)
		fetches.EachError(func(_ string, p int32, err error) {
			if ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, strings.TrimSpace(fmt.Sprint("poll ", p, ": ", err)))
				time.Sleep(100 * time.Millisecond) // before it is tried again
			}
		})
		fetches.EachRecord(func(r *kgo.Record) {
			if rand.IntN(100) == 0 {
				r.Ack(kgo.AckRelease)
				return
			}
			w.note(r)
			r.Ack(kgo.AckAccept)
		})
	}
	closing, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return client.FlushAcks(closing)
}
