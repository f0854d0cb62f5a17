package gapstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tryTogether takes a hold together with others. The stakes are both partitions of the
// scene.
func (s *scene) tryTogether(ctx context.Context, dial Dial) (*Hold, error) {
	stakes := s.stakes()
	return acquireTogether(ctx, dial, &member{group: s.group, parts: partsOf(stakes), timing: s.timing}, stakes)
}

func (s *scene) stakes() []Stake { return []Stake{{s.topic, 0, 5}, {s.topic, 1, 5}} }

func (s *scene) together(dial Dial) *Hold {
	s.t.Helper()
	h, err := s.tryTogether(s.t.Context(), dial)
	return s.kept(h, err)
}

// rejoined is when all of holds have lost their shares, and have got new ones.
func (s *scene) rejoined(holds ...*Hold) {
	s.t.Helper()
	answers := make(chan error)
	for _, h := range holds {
		go func() {
			<-h.Lost()
			if !errors.Is(h.Err(), ErrReshared) {
				answers <- h.Err()
				return
			}
			answers <- h.Rejoin(s.t.Context(), s.stakes())
		}()
	}
	for range holds {
		if err := <-answers; err != nil {
			s.t.Fatal(err)
		}
	}
}

// pair are two holds, each with one of the partitions. One that has a network of
// its own is the one that dies.
func (s *scene) pair(dials ...Dial) (a, b *Hold) {
	s.t.Helper()
	a = s.together(dials[0])
	if len(dials) > 1 {
		s.timing = s.dying
	}
	second := make(chan *Hold)
	go func() { // its join lasts until the first has joined again
		h, err := s.tryTogether(s.t.Context(), dials[len(dials)-1])
		if err != nil {
			s.t.Error(err)
		}
		second <- h
	}()
	s.rejoined(a)
	if b = <-second; b == nil {
		s.t.FailNow()
	}
	s.t.Cleanup(func() { _ = b.Release(context.Background()) })
	return a, b
}

// own is a commit of the partitions that h has.
func (s *scene) own(h *Hold, offset int64) Commit {
	c := Commit{}
	for _, o := range s.offsets(offset, "new") {
		if h.Share().Has(o.Topic, o.Partition) {
			c.Offsets = append(c.Offsets, o)
			c.Records = append(c.Records, &kgo.Record{Topic: s.out, Partition: o.Partition, Value: fmt.Appendf(nil, "copy %d", o.Partition)})
		}
	}
	return c
}

func TestTogetherEachWritesItsShare(t *testing.T) {
	for name, set := range settings() {
		t.Run(name, func(t *testing.T) {
			s, _ := fakeScene(t, set)
			s.records = 2
			a, b := s.pair(s.dial)
			if a.Share().Members != 2 || len(a.Share().Parts[s.topic]) != 1 || len(b.Share().Parts[s.topic]) != 1 {
				t.Fatalf("shares %+v and %+v", a.Share(), b.Share())
			}
			if err := b.Commit(t.Context(), s.own(a, newOffset)); err == nil {
				t.Error("it has written what is the other's")
			}
			for _, h := range []*Hold{a, b} {
				if err := h.Commit(t.Context(), s.own(h, newOffset)); err != nil {
					t.Error(err)
				}
			}
			s.mustSee(s.newState())
		})
	}
}

// What leaves or dies is shared out among those who are left.
func TestTogetherOneLeaves(t *testing.T) {
	for _, how := range []string{"leaves", "dies"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s, _ := fakeScene(t, setting{records: 2})
			w := s.wire()
			a, b := s.pair(s.dial, w.dial)
			if how == "leaves" {
				if err := b.Release(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else {
				w.mu.Lock()
				w.at, w.fault = step{kmsg.Heartbeat, 1}, gone
				w.mu.Unlock()
			}
			s.rejoined(a)
			if got := a.Share(); got.Members != 1 || !reflect.DeepEqual(got.Parts, s.parts()) {
				t.Fatalf("share %+v", got)
			}
			if err := a.Commit(t.Context(), s.own(a, newOffset)); err != nil {
				t.Fatal(err)
			}
			s.mustSee(s.newState())
		})
	}
}

// A process is killed at each step of a commit. Another takes its partition
// over: what that finds there is old or new, and stays.
func TestTogetherOneDiesInACommit(t *testing.T) {
	t.Parallel()
	for _, at := range []step{{kmsg.InitProducerID, 1}, {kmsg.Produce, 1}, {kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}} {
		for _, how := range []fault{gone, deaf} {
			t.Run(fmt.Sprintf("%v/%s", at, how), func(t *testing.T) {
				t.Parallel()
				s, _ := fakeScene(t, setting{records: 2})
				w := s.wire()
				a, b := s.pair(s.dial, w.dial)
				if err := a.Commit(t.Context(), s.own(a, newOffset)); err != nil {
					t.Fatal(err)
				}
				w.mu.Lock()
				w.at, w.fault = at, how
				w.mu.Unlock()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				failed := b.Commit(ctx, s.own(b, newOffset))
				w.mu.Lock()
				w.fault, w.at = gone, step{kmsg.Heartbeat, 0} // now all of it is gone
				w.mu.Unlock()
				s.rejoined(a)
				stands, err := a.Fetch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				made := stands[0].Offset == newOffset && stands[1].Offset == newOffset
				if failed == nil && !made {
					t.Errorf("reported as made, and stands %+v", stands)
				}
				if !made {
					lacking := s.own(a, newOffset)
					lacking.Offsets = slices.DeleteFunc(lacking.Offsets, func(o OffsetCommit) bool { return stands[o.Partition].Offset == newOffset })
					lacking.Records = slices.DeleteFunc(lacking.Records, func(r *kgo.Record) bool { return stands[r.Partition].Offset == newOffset })
					if err := a.Commit(t.Context(), lacking); err != nil {
						t.Fatal(err)
					}
				}
				s.mustSee(s.newState())
				s.mustBeEnded()
			})
		}
	}
}

// Whoever asks for a new share-out makes everybody's commits from before it
// void, also those that are still on their way.
func TestTogetherOldSharesAreRefused(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	a, b := s.pair(s.dial)
	old := s.own(b, newOffset)
	topics, err := b.byTopic(old.Offsets)
	if err != nil {
		t.Fatal(err)
	}
	stale := b.member.membership()
	asked := make(chan error)
	go func() { asked <- a.Rejoin(t.Context(), s.stakes()) }()
	s.rejoined(b)
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	if _, err := b.txn.commit(t.Context(), stale, topics, old.Records); !isGone(err) {
		t.Errorf("an old share was written: %v", err)
	}
	s.mustSee(s.oldState())
}

// When a consumer arrives, all leave, and say who came.
func TestTogetherConsumerArrives(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	a, b := s.pair(s.dial)
	for _, h := range []*Hold{a, b} {
		if err := h.Commit(t.Context(), s.own(h, newOffset)); err != nil {
			t.Fatal(err)
		}
	}
	arrived := s.consumer(nil)
	for _, h := range []*Hold{a, b} {
		err := s.untilLost(h)
		active, ok := errors.AsType[*ActiveError](err)
		if !ok || !errors.Is(err, ErrLost) || len(active.Members) != 1 || active.Members[0].ClientID != "arriver" {
			t.Errorf("lost by %v", err)
		}
		if err := h.Commit(t.Context(), s.own(h, 30)); !errors.Is(err, ErrLost) {
			t.Errorf("a commit after that: %v", err)
		}
	}
	arrived.awaitPartitions(2)
	if got := arrived.found(); got[0] != newOffset || got[1] != newOffset {
		t.Errorf("the consumer starts at %v", got)
	}
	s.mustSee(s.newState())
}

// untilLost goes on in one generation after the other, and is why that ends.
func (s *scene) untilLost(h *Hold) error {
	for {
		<-h.Lost()
		if err := h.Err(); !errors.Is(err, ErrReshared) {
			return err
		}
		if err := h.Rejoin(s.t.Context(), s.stakes()); err != nil {
			return err
		}
	}
}

func TestTogetherLeavesALiveGroupAlone(t *testing.T) {
	s, _ := fakeScene(t, setting{})
	live := s.consumer(nil)
	live.awaitPartitions(2)
	w := s.wire()
	_, err := s.tryTogether(t.Context(), w.dial)
	if active, ok := errors.AsType[*ActiveError](err); !ok || len(active.Members) != 1 {
		t.Fatalf("acquired: %v", err)
	}
	for _, r := range w.requests() {
		if r.key == kmsg.JoinGroup {
			t.Error("it tried to join")
		}
	}
}

// Who wants to be alone is not let in, and is told whom to join.
func TestTogetherKeepsOthersOut(t *testing.T) {
	s, _ := fakeScene(t, setting{})
	s.together(s.dial)
	_, err := s.tryAcquire(t.Context(), s.dial)
	active, ok := errors.AsType[*ActiveError](err)
	if !ok || !Together(active.Members) {
		t.Fatalf("acquired: %v", err)
	}
}
