package gapstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// shift is members that process records with keys, in any order within what they
// have in hand, fail some, and come and go.
type shift struct {
	*retrying
	sharing  Sharing
	consumer bool // protocol
	n, keys  int
}

// failures is how often the ith record fails; 3 is always, as there are as many
// attempts.
func (s *shift) failures(i int) int64 {
	switch i * 7919 % 20 {
	case 0, 1:
		return 1
	case 2:
		return 2
	case 3:
		return 3
	}
	return 0
}

const shiftAttempts = 3

// number is which record r is, a copy or not.
func number(r *kgo.Record) (i int) {
	if _, err := fmt.Sscan(string(r.Value), &i); err != nil {
		panic(err)
	}
	return i
}

// member is one that works until the context ends, and then leaves, or crashes.
func (s *shift) member(ctx context.Context) error {
	// The fake broker waits for one that has left while it joined until this is over.
	o := s.options(kgo.SessionTimeout(time.Second), kgo.RebalanceTimeout(3*time.Second))
	o.Sharing, o.Drain = s.sharing, 100*time.Millisecond
	c, err := NewConsumer(context.WithoutCancel(ctx), s.dial, o)
	if err != nil {
		return err
	}
	failed := func(err error) bool {
		return err != nil && !passes(err) && !errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	}
	var hand []*kgo.Record
	for ctx.Err() == nil && err == nil {
		wait, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		records, polled := c.Poll(wait, 20)
		cancel()
		hand = append(hand, records...)
		rand.Shuffle(len(hand), func(i, j int) { hand[i], hand[j] = hand[j], hand[i] })
		later := rand.IntN(len(hand) + 1)
		for _, r := range hand[later:] {
			s.process(c, r)
		}
		hand = hand[:later]
		var committed error
		if rand.IntN(3) > 0 {
			committed = c.Commit(ctx)
		}
		if failed(polled) || failed(committed) {
			err = errors.Join(polled, committed)
		}
	}
	if rand.IntN(2) == 0 {
		c.crash()
	} else if closed := c.Close(context.WithoutCancel(ctx)); closed != nil && !passes(closed) {
		err = errors.Join(err, closed)
	}
	return err
}

func (s *shift) process(c *Consumer, r *kgo.Record) {
	o, _ := OriginOf(r)
	var err error
	if o.Deliveries < s.failures(number(r)) {
		err = c.Fail(r, errors.New("no luck"))
	} else {
		err = c.Finish(r, &kgo.Record{Topic: s.topic + "-out", Key: r.Key, Value: r.Value})
	}
	if err != nil {
		s.t.Error(err)
	}
}

// run has members come, go and crash until all records are through.
func (s *shift) run() {
	s.t.Helper()
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer stop()
	for range 3 {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ { // later lives are longer, so that a slow machine gets through
				life, end := context.WithTimeout(ctx, time.Duration(100+rand.IntN(900<<min(i/5, 6)))*time.Millisecond)
				if err := s.member(life); err != nil {
					s.t.Error(err)
				}
				end()
			}
		})
	}
	for i := 0; i < s.n; {
		var records []*kgo.Record
		for range min(20, s.n-i) {
			records = append(records, &kgo.Record{Partition: int32(i % s.keys % 2), Key: fmt.Append(nil, i%s.keys), Value: fmt.Append(nil, i)})
			i++
		}
		s.send(s.topic, records...)
	}
	s.awaitThrough()
}

// check: each record is in one place once, where it belongs, and with ordered those of a
// key are in their order.
func (s *shift) check(ordered bool) {
	s.t.Helper()
	places := map[int][]string{}
	last := map[string]int{}
	for _, topic := range []string{s.topic + "-out", s.topic + "-dead"} {
		for _, r := range s.committedRecords(topic) {
			i := number(r)
			places[i] = append(places[i], topic)
			if topic != s.topic+"-out" {
				continue
			}
			if before, ok := last[string(r.Key)]; ok && before > i && ordered {
				s.t.Errorf("key %s: %d is put out after %d", r.Key, i, before)
			}
			last[string(r.Key)] = i
		}
	}
	for i := range s.n {
		want := []string{s.topic + "-out"}
		if s.failures(i) >= shiftAttempts {
			want[0] = s.topic + "-dead"
		}
		if !slices.Equal(places[i], want) {
			s.t.Errorf("record %d is in %v, want %v", i, places[i], want)
		}
	}
}

// Whatever fails, crashes or goes to another member: each record comes out once,
// and where the order is kept, those of a key in theirs.
func TestRetryExactlyOnceInOrder(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		sharing Sharing
		order   RetryOrder
	}{
		{Whole, OrderBlockKey}, {ByKey, OrderBlockKey}, {Whole, OrderBlockPartition}, {ByBlock, OrderNone}, {ByKey, OrderPseudo},
	} {
		t.Run(fmt.Sprint(run.sharing, " ", run.order), func(t *testing.T) {
			t.Parallel()
			w, _ := newRetrying(t, 2, Retry{Attempts: shiftAttempts, Order: run.order, Hold: 10, Delay: func(n int) time.Duration {
				return time.Duration(n) * 20 * time.Millisecond
			}})
			s := &shift{retrying: w, sharing: run.sharing, n: 240, keys: 24}
			if run.order == OrderBlockPartition {
				s.n = 60 // which go one by one
			}
			s.run()
			s.check(run.order.blocks())
		})
	}
}
