package gapstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// Members of a group are killed at random moments, and others come in their
// place, while records fail: read-committed readers get the output of each record
// once, or it once as a dead letter, and the outputs of a key in its order.
func TestKafkaRetryKilledAtRandom(t *testing.T) {
	t.Parallel()
	b := kafkatest.Shared(t)
	store := openStore(t, b.Addr())
	await(t, "the native topic", func() bool { // whose many partitions may take longer than workers try
		_, err := store.Ensure(t.Context(), NativeOptions{})
		return err == nil
	})
	for _, run := range []struct {
		sharing  Sharing
		consumer bool // the group is of the consumer protocol (KIP-848)
		n, keys  int
	}{{ByKey, false, 6_000, 600}, {Whole, true, 3_000, 300}} {
		t.Run(run.sharing.String(), func(t *testing.T) {
			t.Parallel()
			topic := fmt.Sprint("failing-", int(run.sharing))
			w := realWork(t, b, topic, 2, 0)
			w.makeTopics(2, topic+"-retry", topic+"-dead", topic+"-out")
			s := &shift{retrying: retryingOf(w, retryOf(OrderBlockKey)), sharing: run.sharing, consumer: run.consumer, n: run.n, keys: run.keys}
			if run.consumer {
				b.ConfigureGroup(topic, map[string]string{"consumer.session.timeout.ms": "3000", "consumer.heartbeat.interval.ms": "500"})
			}
			s.killAtRandom(b.Addr())
			s.check(true)
			s.allDone()
		})
	}
}

// killAtRandom has workers process all records, and kills some until half a minute
// before the end at the latest.
func (s *shift) killAtRandom(addr string) {
	s.t.Helper()
	through, stop := context.WithCancel(s.t.Context())
	defer stop()
	var all sync.WaitGroup
	var kills atomic.Int64
	for i := range 4 {
		instance := fmt.Sprint("worker-", i)
		if i == 3 || s.consumer { // where the group keeps the name of one who died for it
			instance = "-" // one that comes and goes
		}
		all.Go(func() {
			for life := 0; through.Err() == nil; life++ {
				if s.live(through, addr, instance, life < 5) {
					kills.Add(1)
				}
			}
		})
	}
	for i := 0; i < s.n; {
		var records []*kgo.Record
		for range min(s.n/100, s.n-i) {
			records = append(records, &kgo.Record{Partition: int32(i % s.keys % 2), Key: fmt.Append(nil, i%s.keys), Value: fmt.Append(nil, i)})
			i++
		}
		s.send(s.topic, records...)
		time.Sleep(100 * time.Millisecond) // the pace of the producers
	}
	s.awaitThrough()
	stop()
	all.Wait()
	if kills.Load() < 8 {
		s.t.Errorf("only %d kills: the test proves little", kills.Load())
	}
	s.t.Logf("%d kills", kills.Load())
}

// live is a worker process, which is killed some time, or asked to end when all
// is through.
func (s *shift) live(through context.Context, addr, instance string, killed bool) bool {
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %t %d %s", retryWorkerEnv, addr, s.topic, s.sharing, s.consumer, s.retry.Order, instance))
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var life <-chan time.Time
	if killed {
		life = time.After(time.Duration(500+rand.IntN(4000)) * time.Millisecond)
	}
	select {
	case err := <-ended:
		s.t.Errorf("a worker ended by itself: %v\n%s", err, out.String())
		time.Sleep(time.Second) // not to start hundreds
		return false
	case <-life:
		_ = cmd.Process.Kill()
		<-ended
		return true
	case <-through.Done():
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			s.t.Errorf("a worker could not end: %v\n%s", err, out.String())
		}
		return false
	}
}

// awaitThrough waits until readers have got as many records as there are.
func (s *shift) awaitThrough() {
	s.t.Helper()
	cl, err := s.dial(kgo.ConsumeTopics(s.topic+"-out", s.topic+"-dead"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		s.t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	for n := 0; n < s.n; {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			s.t.Fatalf("%d of %d records are through", n, s.n)
		}
		n += fetches.NumRecords()
	}
}
