package gapstore

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

var javaConsumers = map[string]kafkatest.ClassicOptions{
	"range":       {Assignor: "range"},
	"cooperative": {Assignor: "cooperative-sticky"},
	"kip848":      {Protocol: "consumer"},
}

func (s *scene) startJava(b *kafkatest.Broker, opts kafkatest.ClassicOptions) *kafkatest.Classic {
	opts.Group, opts.Topics = s.group, []string{s.topic}
	return b.StartClassic(opts)
}

// starts waits for the offsets at which a Java consumer began both partitions.
func starts(c *kafkatest.Classic) []int64 {
	var offsets []int64
	for p := range int32(2) {
		e := c.Await("start of a partition", func(e kafkatest.ClassicEvent) bool { return e.Event == "starts" && e.Partition == p })
		offsets = append(offsets, e.Offset)
	}
	return offsets
}

// owned are the events that say that a consumer has, or had, partitions.
func owned(events []kafkatest.ClassicEvent) []kafkatest.ClassicEvent {
	return slices.DeleteFunc(slices.Clone(events), func(e kafkatest.ClassicEvent) bool {
		return e.Event != "starts" && len(e.Partitions) == 0
	})
}

func mustLive(t *testing.T, java *kafkatest.Classic) {
	t.Helper()
	for _, e := range java.Stop() {
		if e.Event == "died" || e.Event == "lost" {
			t.Errorf("the consumer: %+v", e)
		}
	}
}

func mustBeLostToOne(t *testing.T, h *Hold) {
	t.Helper()
	active, ok := errors.AsType[*ActiveError](h.Err())
	if !ok || len(active.Members) != 1 || !errors.Is(h.Err(), ErrLost) {
		t.Errorf("lost by %v", h.Err())
	}
}

// A real consumer arrives while a transaction has records but no offsets, and
// while it only lacks its end: it waits, and starts from what was committed.
func TestKafkaJavaConsumerArrivesInACommit(t *testing.T) {
	t.Parallel()
	for name, opts := range javaConsumers {
		for _, at := range []step{{kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}} {
			t.Run(name+"/"+at.String(), func(t *testing.T) {
				t.Parallel()
				s, b := realScene(t, "arrive-"+name+"-"+at.key.Name(), 4)
				var java *kafkatest.Classic
				// In these a JVM starts, joins and is given nothing.
				s.timing.parting, s.timing.grace, s.timing.rebalance = time.Minute, time.Minute, 2*time.Minute
				w := s.wire()
				h := s.acquire(w.dial)
				h.txn.timeout = s.timing.parting
				w.at, w.before = at, func() {
					java = s.startJava(b, opts)
					<-h.Lost()
					if opts.Protocol == "consumer" {
						java.AwaitEvent("assigned") // of nothing, as the rest sees to
					}
					if events := owned(java.Events()); len(events) > 0 {
						t.Errorf("the consumer has got %+v while the hold commits", events)
					}
				}
				if err := h.Commit(t.Context(), s.change()); err != nil {
					t.Errorf("commit: %v", err)
				}
				mustBeLostToOne(t, h)
				if got := starts(java); !slices.Equal(got, []int64{newOffset, newOffset}) {
					t.Errorf("the consumer starts at %v", got)
				}
				if err := h.Commit(t.Context(), s.change()); !errors.Is(err, ErrLost) {
					t.Errorf("a commit after that: %v", err)
				}
				s.mustSee(s.newState())
				mustLive(t, java)
			})
		}
	}
}

// A real consumer arrives while the hold does nothing: the hold makes room at
// once.
func TestKafkaJavaConsumerArrivesBetweenCommits(t *testing.T) {
	t.Parallel()
	for name, opts := range javaConsumers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := realScene(t, "between-"+name, 0)
			h := s.acquire(s.dial)
			if err := h.Commit(t.Context(), s.change()); err != nil {
				t.Fatal(err)
			}
			java := s.startJava(b, opts)
			<-h.Lost()
			mustBeLostToOne(t, h)
			if err := h.Commit(t.Context(), Commit{Offsets: s.offsets(25, "late")}); !errors.Is(err, ErrLost) {
				t.Errorf("a commit after that: %v", err)
			}
			if got := starts(java); !slices.Equal(got, []int64{newOffset, newOffset}) {
				t.Errorf("the consumer starts at %v", got)
			}
			s.mustSee(s.newState())
			mustLive(t, java)
		})
	}
}

func TestKafkaLiveGroupIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, opts := range javaConsumers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := realScene(t, "live-"+name, 0)
			java := s.startJava(b, opts)
			if got := starts(java); !slices.Equal(got, []int64{oldOffset, oldOffset}) {
				t.Fatalf("starts at %v", got)
			}
			_, err := s.tryAcquire(t.Context(), s.dial)
			active, ok := errors.AsType[*ActiveError](err)
			if !ok || len(active.Members) != 1 || !strings.HasPrefix(active.Members[0].ClientID, "consumer-") {
				t.Errorf("acquired: %v", err)
			}
			s.mustSee(s.oldState())
			if events := owned(java.Events()); len(events) != 3 { // assigned, and two starts
				t.Errorf("it was disturbed: %+v", events)
			}
			mustLive(t, java)
			// The group is empty now, and of the consumer's type.
			await(t, "the group to be empty", func() bool {
				err = s.repair(t.Context(), s.dial)
				return !errors.Is(err, ErrGroupActive)
			})
			if err != nil {
				t.Errorf("once it is empty: %v", err)
			}
			s.mustSee(s.newState())
		})
	}
}
