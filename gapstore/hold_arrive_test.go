package gapstore

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// arriver is a consumer of a scene's group, which commits nothing.
type arriver struct {
	s      *scene
	cl     *kgo.Client
	mu     sync.Mutex
	starts map[int32]int64 // by partition: the commit that it found
}

// consumer starts one; a nil balancer is the classic protocol.
func (s *scene) consumer(balancer kgo.Opt) *arriver {
	s.t.Helper()
	a := &arriver{s: s, starts: map[int32]int64{}}
	opts := []kgo.Opt{kgo.ClientID("arriver"), kgo.ConsumerGroup(s.group), kgo.ConsumeTopics(s.topic),
		kgo.DisableAutoCommit(), kgo.AdjustFetchOffsetsFn(func(_ context.Context, found map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			for partition, o := range found[s.topic] {
				a.starts[partition] = o.EpochOffset().Offset
			}
			return found, nil
		})}
	if balancer != nil {
		opts = append(opts, balancer)
	}
	a.cl = s.client(opts...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			a.cl.PollFetches(ctx)
		}
	}()
	s.t.Cleanup(func() { cancel(); <-done })
	return a
}

// found are the commits that the consumer started from.
func (a *arriver) found() map[int32]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	starts := map[int32]int64{}
	for p, o := range a.starts {
		starts[p] = o
	}
	return starts
}

func (a *arriver) awaitPartitions(n int) {
	a.s.t.Helper()
	await(a.s.t, "the consumer's partitions", func() bool { return len(a.found()) == n })
}

// awaitMember waits until the coordinator counts the consumer in.
func (a *arriver) awaitMember() {
	a.s.t.Helper()
	admin := kadm.NewClient(a.s.client())
	await(a.s.t, "the consumer's membership", func() bool {
		groups, err := admin.DescribeGroups(context.Background(), a.s.group)
		if err != nil {
			return false
		}
		for _, m := range groups[a.s.group].Members {
			if m.ClientID == "arriver" {
				return true
			}
		}
		return false
	})
}

// A consumer arrives just before each request that a repair sends, one run
// each. It must come to its partitions, and start from a whole state.
func TestConsumerArrivesAtEveryStep(t *testing.T) {
	t.Parallel()
	eachStep(t, arriveAt)
}

func arriveAt(t *testing.T, at step, c setting) {
	s, _ := fakeScene(t, c)
	w := s.wire()
	var arrived *arriver
	w.at, w.before = at, func() {
		arrived = s.consumer(nil)
		arrived.awaitMember()
	}
	err := s.repair(t.Context(), w.dial)
	if arrived == nil {
		t.Skipf("this run did not come to %s", at) // such as a second heartbeat
	}
	arrived.awaitPartitions(2)
	now := s.mustSee(s.oldState(), s.newState())
	isNew := reflect.DeepEqual(now, s.newState())
	switch {
	case err == nil && !isNew:
		t.Errorf("reported as made, but %+v", now)
	case err != nil && isNew && !errors.Is(err, ErrUnknownOutcome):
		t.Errorf("made, but reported as %v", err)
	case err != nil && !errors.Is(err, ErrGroupActive):
		t.Errorf("who arrived is not named: %v", err)
	}
	for p, start := range arrived.found() {
		if start != now.Offsets[p] {
			t.Errorf("partition %d started at %d, the commit is %d", p, start, now.Offsets[p])
		}
	}
}
