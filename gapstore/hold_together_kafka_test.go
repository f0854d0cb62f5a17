package gapstore

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A real consumer arrives where two hold the group together: both make room and
// name it, and it starts from what they have committed. The alone hold's tests
// have it arrive in a commit.
func TestKafkaTogetherJavaConsumerArrives(t *testing.T) {
	t.Parallel()
	for name, opts := range javaConsumers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, broker := realScene(t, "together-"+name, 2)
			a, b := s.pair(s.dial)
			for _, h := range []*Hold{a, b} {
				if err := h.Commit(t.Context(), s.own(h, newOffset)); err != nil {
					t.Fatal(err)
				}
			}
			java := s.startJava(broker, opts)
			for _, h := range []*Hold{a, b} {
				err := s.untilLost(h)
				if active, ok := errors.AsType[*ActiveError](err); !ok || !errors.Is(err, ErrLost) || len(active.Members) != 1 {
					t.Errorf("lost by %v", err)
				}
				if err := h.Commit(t.Context(), s.own(h, 30)); !errors.Is(err, ErrLost) {
					t.Errorf("a commit after that: %v", err)
				}
			}
			if got := starts(java); !slices.Equal(got, []int64{newOffset, newOffset}) {
				t.Errorf("the consumer starts at %v", got)
			}
			s.mustSee(s.newState())
			mustLive(t, java)
		})
	}
}

// The transaction of a process that was killed is ended by those that are left,
// long before it times out: whoever reads the copies does not wait.
func TestKafkaTogetherEndsWhatTheDeadLeft(t *testing.T) {
	t.Parallel()
	for _, at := range []step{{kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}} {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			s, _ := realScene(t, "together-dead-"+at.key.Name(), 2)
			w := s.wire()
			a, b := s.pair(s.dial, w.dial)
			if err := a.Commit(t.Context(), s.own(a, newOffset)); err != nil {
				t.Fatal(err)
			}
			rest, again := s.own(b, newOffset), s.own(b, newOffset) // a client keeps the records that it was given
			w.mu.Lock()
			w.at, w.fault = at, gone
			w.mu.Unlock()
			if err := b.Commit(t.Context(), rest); err == nil {
				t.Fatal("committed without the last request")
			}
			died := time.Now()
			s.rejoined(a) // once its session has timed out
			if stands, err := a.Fetch(t.Context()); err != nil || stands[rest.Offsets[0].Partition].Offset != oldOffset {
				t.Fatalf("stands %+v, %v", stands, err)
			}
			if err := a.Commit(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			s.mustSee(s.newState())
			s.mustBeEnded()
			t.Logf("%v after it died", time.Since(died))
		})
	}
}
