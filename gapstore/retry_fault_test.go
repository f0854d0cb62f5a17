package gapstore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kversion"
)

// newRetryRun is a consumer about to commit an output, a retry and a dead letter
// at once: of records 0 and 1, and of the retry of record 2.
func newRetryRun(t *testing.T, speaks *kversion.Versions) *commitRun {
	t.Helper()
	w, cluster := newRetrying(t, 1, Retry{Attempts: 2, Order: OrderBlockKey})
	w.send(w.topic, keyed("a0", "b1", "c2", "d3")...)
	r := wiredRun(w.work, cluster, speaks)
	r.options = w.options()
	r.look = func() string { return w.everything() }
	r.consumer = r.start(r.wire.dial)
	_, records := w.next(r.consumer, 4)
	w.judge(r.consumer, records[2:3], "c2")
	w.mustCommit(r.consumer)
	again, retries := w.next(r.consumer, 1)
	if again[0] != "c2" {
		t.Fatalf("retried: %v", again)
	}
	w.judge(r.consumer, append(retries, records[:2]...), "c2", "b1")
	r.old = "out [], retry [c2], dead [], done [orders 2]"
	r.new = "out [a0], retry [c2 b1], dead [c2], done [orders 0 orders 1 orders 2 orders-retry 0]"
	return r
}

// everything is what read-committed readers see, and which of the first records
// of the topic and the retry topic are committed as done.
func (w *retrying) everything() string {
	w.t.Helper()
	values := func(what string) []string { return w.committedValues(w.topic + "-" + what) }
	s := openStore(w.t, w.addrs...)
	defer s.Close()
	var done []string
	for _, e := range loadGroup(w.t, s, w.group).Entries {
		for at := range int64(4) {
			if e.State.Completed(at) && (e.Topic == w.topic || at == 0) {
				done = append(done, fmt.Sprint(e.Topic, " ", at))
			}
		}
	}
	slices.Sort(done)
	return fmt.Sprintf("out %s, retry %s, dead %s, done %s", values("out"), values("retry"), values("dead"), done)
}

// The network spoils each request of a commit with results, or the broker refuses
// it: all of it is there or nothing, and the next commit completes it, once.
func TestRetryCommitOverABadNetwork(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, producers(), newRetryRun, overABadNetwork)
}

func TestRetryCommitRefused(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, map[string]bool{"anew": true}, newRetryRun, refusedWithEach)
}

// The process is killed at every request: the next one does what is left, and
// then each record is in one place, once.
func TestRetryKilledInACommit(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, producers(), newRetryRun, func(t *testing.T, at step, prepare func(*testing.T) *commitRun) {
		r := prepare(t)
		r.arm(at, gone)
		err := r.commit()
		r.consumer.crash()
		c := r.start(r.dial)
		defer c.crash()
		r.judge(err, r.standing())
		w := retryingOf(r.work, *r.options.Retry)
		await(t, "all to be through", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			records, _ := c.Poll(ctx, 0)
			w.judge(c, records, "b1", "c2")
			w.mustCommit(c)
			return len(w.committedValues("orders-out"))+len(w.committedValues("orders-dead")) >= 4
		})
		out, dead := w.committedValues("orders-out"), w.committedValues("orders-dead")
		slices.Sort(out)
		slices.Sort(dead)
		if !equal(out, "a0", "d3") || !equal(dead, "b1", "c2") {
			t.Errorf("out %s, dead %s", out, dead)
		}
	})
}
