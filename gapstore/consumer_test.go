package gapstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/gapctl/gapctl/codec"
)

func TestConsumerResumesWhereItWas(t *testing.T) {
	w, _ := newWork(t, 1, 20)
	c := w.join(w.options())
	records := w.poll(c, 20)
	c.Done(records[0], records[1], records[5], records[12])
	if err := c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := w.entries()[0]; e.State.Gaps.String() != "2-4,6-11" || e.State.Max != 13 || e.Committed != 2 {
		t.Fatalf("committed %d, gaps %s", e.Committed, e.State.Gaps)
	}
	c.Done(records[2]) // never committed
	c.crash()

	c = w.join(w.options())
	if got := offsets(w.poll(c, 16)); got != "2-4,6-11,13-19" {
		t.Errorf("delivered again: %s", got)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestConsumerCommitsWhatIsRevoked(t *testing.T) {
	for name, balancer := range map[string]kgo.GroupOpt{
		"eager": kgo.Balancers(kgo.RangeBalancer()), "cooperative": kgo.Balancers(kgo.CooperativeStickyBalancer()),
		"kip-848": kgo.ServerSideBalancer(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newWork(t, 2, 10)
			first := w.join(w.options(balancer))
			records := w.poll(first, 20)
			for _, r := range records {
				if r.Offset%2 == 1 {
					first.Done(r)
				}
			}
			second := w.join(w.options(balancer))
			polling, stop := context.WithCancel(t.Context())
			idle := make(chan struct{})
			go func() {
				defer close(idle)
				for polling.Err() == nil {
					_, _ = first.Poll(polling, 0)
				}
			}()
			got := w.poll(second, 5)
			for _, r := range got {
				if r.Offset%2 == 1 || r.Partition != got[0].Partition {
					t.Errorf("delivered %d of partition %d", r.Offset, r.Partition)
				}
			}
			stop()
			<-idle
			if err := errors.Join(second.Close(t.Context()), first.Close(t.Context())); err != nil {
				t.Error(err)
			}
			for p, e := range w.entries() {
				if e.State.Gaps.String() != "0,2,4,6,8" {
					t.Errorf("partition %d: gaps %s", p, e.State.Gaps)
				}
			}
		})
	}
}

// A member that the group has forgotten is told so, and goes on by itself.
func TestConsumerForgottenByTheGroup(t *testing.T) {
	w, c := newWork(t, 1, 10)
	member := w.join(w.options())
	records := w.poll(member, 10)
	member.Done(records[:4]...)
	if err := member.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	member.Done(records[4]) // never committed by this membership
	c.ControlKey(kmsg.Heartbeat.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = kerr.UnknownMemberID.Code
		return resp, nil, true
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := member.Poll(ctx, 0)
	if !errors.Is(err, ErrLost) || !errors.Is(err, kerr.UnknownMemberID) {
		t.Fatalf("poll: %v", err)
	}
	again := w.poll(member, 6)
	if got := offsets(again); got != "4-9" {
		t.Errorf("delivered again: %s", got)
	}
	member.Done(again...)
	if err := member.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if e := w.entries()[0]; e.Committed != 10 || e.State.Outstanding() != 0 {
		t.Errorf("committed %d, outstanding %d", e.Committed, e.State.Outstanding())
	}
}

func commitPlainly(t testing.TB, w *work, at int64) {
	t.Helper()
	cl, err := w.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: w.topic, At: at, LeaderEpoch: -1})
	if err := kadm.NewClient(cl).CommitAllOffsets(t.Context(), w.group, offsets); err != nil {
		t.Fatal(err)
	}
}

// A plain tool has moved Kafka's offset: what it says counts.
func TestConsumerFollowsAMovedOffset(t *testing.T) {
	for at, want := range map[int64]string{5: "6-11,13-19", 1: "1-19", 2: "2-4,6-11,13-19", 15: "15-19"} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			w, _ := newWork(t, 1, 20)
			c := w.join(w.options())
			records := w.poll(c, 20)
			c.Done(records[0], records[1], records[5], records[12])
			if err := c.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			commitPlainly(t, w, at)
			c = w.join(w.options())
			n := len(mustRanges(t, want))
			got := w.poll(c, n)
			if offsets(got) != want {
				t.Errorf("delivered %s, want %s", offsets(got), want)
			}
			c.Done(got[len(got)-1])
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			w.entries()
		})
	}
}

// mustRanges is the offsets of a text.
func mustRanges(t testing.TB, text string) (offsets []int64) {
	t.Helper()
	ranges, err := codec.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	for r := range ranges.All() {
		for at := r.Start; at < r.End; at++ {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

func TestConsumerLeavesNoGoroutines(t *testing.T) {
	w, c := newWork(t, 1, 20)
	ignore := goleak.IgnoreCurrent()
	consumer := w.join(w.options())
	consumer.Done(w.poll(consumer, 20)...)
	if err := consumer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	c.ControlKey(int16(kmsg.InitProducerID), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, errors.New("refused"), true
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := NewConsumer(ctx, w.dial, w.options()); err == nil {
		t.Error("joined without a producer ID")
	}
	goleak.VerifyNone(t, ignore)
}
