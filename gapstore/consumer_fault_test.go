package gapstore

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// commitRun is a consumer that has committed one state and is about to commit
// another, over a network that can be spoiled.
type commitRun struct {
	*work
	cluster  *kfake.Cluster
	wire     *wire
	consumer *Consumer
	options  ConsumerOptions
	// old and new are the states, and look what is committed now.
	old, new string
	look     func() string
}

const (
	oldGaps = "2-4,6-69999"
	newGaps = "3-4,6-69999,70002-140000"
)

func newCommitRun(t *testing.T, speaks *kversion.Versions) *commitRun {
	t.Helper()
	w, cluster := newWork(t, 1, 20)
	r := wiredRun(w, cluster, speaks)
	r.old, r.new, r.look = oldGaps, newGaps, func() string { return r.entries()[0].State.Gaps.String() }
	r.consumer = r.start(r.wire.dial)
	r.poll(r.consumer, 1)
	r.done(0, 1, 5, 70000, 70001)
	if err := r.consumer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.done(2, 140001)
	return r
}

func wiredRun(w *work, cluster *kfake.Cluster, speaks *kversion.Versions) *commitRun {
	opts := append([]kgo.Opt{kgo.SeedBrokers(w.addrs...)}, quickRetries()...)
	if speaks != nil {
		opts = append(opts, kgo.MaxVersions(speaks))
	}
	return &commitRun{work: w, cluster: cluster, options: w.options(), wire: &wire{t: w.t, opts: opts, counts: map[kmsg.Key]int{}}}
}

func (r *commitRun) start(dial Dial) *Consumer {
	r.t.Helper()
	o := r.options
	o.Instance = "worker-1"
	c, err := NewConsumer(r.t.Context(), dial, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *commitRun) done(offsets ...int64) {
	for _, at := range offsets {
		r.consumer.Done(&kgo.Record{Topic: r.topic, Offset: at})
	}
}

// arm spoils one of the requests from here on.
func (r *commitRun) arm(at step, how fault) {
	r.wire.mu.Lock()
	defer r.wire.mu.Unlock()
	clear(r.wire.counts)
	r.wire.steps, r.wire.at, r.wire.fault = nil, at, how
}

// commit commits within a time.
func (r *commitRun) commit() error {
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Second)
	defer cancel()
	return r.consumer.Commit(ctx)
}

// standing is what is committed: one of the two states, whole.
func (r *commitRun) standing() string {
	r.t.Helper()
	now := r.look()
	if now != r.old && now != r.new {
		r.t.Fatalf("neither the old nor the new state: %s", now)
	}
	return now
}

// judge compares what stands with what the commit said about it.
func (r *commitRun) judge(err error, stands string) {
	r.t.Helper()
	if err != nil {
		r.t.Logf("commit: %v", err)
	}
	if err == nil && stands != r.new {
		r.t.Errorf("reported as made, but %s", stands)
	}
	if err != nil && stands == r.new && !errors.Is(err, ErrUnknownOutcome) {
		r.t.Errorf("made, but reported as %v", err)
	}
}

// finish commits until it works, as a consumer does.
func (r *commitRun) finish() {
	r.t.Helper()
	r.arm(step{}, "")
	var err error
	awaitEnd(r.t, "a commit that works", func() bool {
		err = r.commit()
		return err == nil
	})
	if got := r.standing(); got != r.new {
		r.t.Errorf("after the retry: %s", got)
	}
	r.consumer.crash()
}

// ofMember are the requests of the consuming client, which go on beside a
// commit.
func ofMember(key kmsg.Key) bool {
	switch key {
	case kmsg.Heartbeat, kmsg.ConsumerGroupHeartbeat, kmsg.Fetch, kmsg.OffsetFetch, kmsg.JoinGroup, kmsg.SyncGroup,
		kmsg.LeaveGroup, kmsg.ListOffsets, kmsg.OffsetForLeaderEpoch:
		return true
	}
	return telemetry(key)
}

// producers are whether the producer has to be opened anew, which takes some
// requests more.
func producers() map[string]bool { return map[string]bool{"open": false, "anew": true} }

// eachCommitStep calls fn for every request of a clean commit.
func eachCommitStep(t *testing.T, states map[string]bool, newRun func(*testing.T, *kversion.Versions) *commitRun, fn func(t *testing.T, at step, prepare func(*testing.T) *commitRun)) {
	if testing.Short() {
		t.Skip("short mode: hundreds of runs")
	}
	for name, speaks := range map[string]*kversion.Versions{"implicit": nil, "explicit": kversion.V3_8_0()} {
		for state, reopen := range states {
			prepare := func(t *testing.T) *commitRun {
				r := newRun(t, speaks)
				if reopen {
					r.consumer.txn.drop()
				}
				return r
			}
			t.Run(name+"-"+state, func(t *testing.T) {
				clean := prepare(t)
				clean.arm(step{}, "")
				if err := clean.consumer.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				steps := clean.wire.requests()
				clean.consumer.crash()
				for _, at := range steps {
					if ofMember(at.key) || at.key == kmsg.ApiVersions && at.nth > 1 {
						continue
					}
					t.Run(at.String(), func(t *testing.T) {
						t.Parallel()
						fn(t, at, prepare)
					})
				}
			})
		}
	}
}

// Every request of a commit is lost, answered in vain, sent or answered twice:
// old or new state stands, whole, and the next commit finishes.
func TestConsumerCommitOverABadNetwork(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, producers(), newCommitRun, func(t *testing.T, at step, prepare func(*testing.T) *commitRun) {
		overABadNetwork(t, at, prepare)
	})
}

func overABadNetwork(t *testing.T, at step, prepare func(*testing.T) *commitRun) {
	for _, how := range []fault{cutBefore, cutAfter, sentTwice, answerTwice, deaf} {
		t.Run(string(how), func(t *testing.T) {
			r := prepare(t)
			r.arm(at, how)
			err := r.commit()
			if !slices.Contains(r.wire.requests(), at) {
				t.Logf("this run did not come to %s", at)
			}
			r.arm(step{}, "")
			r.judge(err, r.standing())
			r.finish()
		})
	}
}

// The process is killed at every request of a commit: the next one of its name
// goes on from the old or the new state, without a wait.
func TestConsumerKilledInACommit(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, producers(), newCommitRun, func(t *testing.T, at step, prepare func(*testing.T) *commitRun) {
		r := prepare(t)
		r.arm(at, gone)
		err := r.commit()
		r.consumer.crash()
		c := r.start(r.dial)
		r.poll(c, 1)
		stands := r.standing()
		r.judge(err, stands)
		c.mu.RLock()
		got := c.parts[place{r.topic, 0}].set.State().Gaps.String()
		c.mu.RUnlock()
		if got != stands {
			t.Errorf("the next process goes on with %s, committed is %s", got, stands)
		}
		c.crash()
	})
}

// The broker refuses each request, for good or for the moment.
func TestConsumerCommitRefused(t *testing.T) {
	t.Parallel()
	eachCommitStep(t, map[string]bool{"anew": true}, newCommitRun, refusedWithEach)
}

// newerWriter takes the consumer's transactions over, which ends what is open.
func (r *commitRun) newerWriter() {
	r.t.Helper()
	newer, err := r.dial(kgo.TransactionalID(r.consumer.txn.id))
	if err != nil {
		r.t.Fatal(err)
	}
	defer newer.Close()
	if _, _, err := newer.ProducerID(r.t.Context()); err != nil {
		r.t.Error(err)
	}
}

func refusedWithEach(t *testing.T, at step, prepare func(*testing.T) *commitRun) {
	codes := []*kerr.Error{kerr.UnknownServerError, kerr.CoordinatorLoadInProgress, kerr.NotCoordinator, kerr.IllegalGeneration,
		kerr.RebalanceInProgress, kerr.InvalidProducerEpoch, kerr.ConcurrentTransactions, kerr.RequestTimedOut,
		kerr.TopicAuthorizationFailed, kerr.MessageTooLarge}
	for _, code := range codes {
		t.Run(code.Message, func(t *testing.T) {
			r := prepare(t)
			handle := refuse(r.cluster, at, code)
			err := r.commit()
			handle.Remove()
			if at.key == kmsg.EndTxn && code == kerr.InvalidProducerEpoch {
				r.newerWriter() // to which the consumer leaves its transaction
			}
			r.judge(err, r.standing())
			r.finish()
		})
	}
}
