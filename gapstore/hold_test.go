package gapstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"
)

func TestHoldCommits(t *testing.T) {
	for name, set := range settings() {
		t.Run(name, func(t *testing.T) {
			s, _ := fakeScene(t, set)
			if err := s.repair(t.Context(), s.dial); err != nil {
				t.Fatal(err)
			}
			s.mustSee(s.newState())
			described, err := kadm.NewClient(s.client()).DescribeGroups(t.Context(), s.group)
			if err != nil || described[s.group].State != "Empty" {
				t.Errorf("after the hold the group is %+v, %v", described, err)
			}
		})
	}
}

func TestHoldTakesAGroupThatIsNotThereYet(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	s.group = "newcomers"
	h := s.acquire(s.dial)
	got, err := h.Fetch(t.Context())
	if err != nil || len(got) != 2 || got[0].Offset != NoOffset {
		t.Fatalf("fetched %+v, %v", got, err)
	}
	if err := h.Commit(t.Context(), s.change()); err != nil {
		t.Fatal(err)
	}
	s.mustSee(s.newState())
}

func TestHoldCommitsInSequence(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 0})
	h := s.acquire(s.dial)
	for i := range int64(4) {
		c := Commit{Offsets: s.offsets(11+i, "step")}
		if i%2 == 0 {
			c.Records = []*kgo.Record{{Topic: s.out, Partition: -1, Key: []byte("k"), Value: []byte("step")}}
		}
		if err := h.Commit(t.Context(), c); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
		if err := h.Check(t.Context(), s.offsets(11+i, "step")); err != nil {
			t.Fatalf("after commit %d: %v", i, err)
		}
	}
	if got := s.see(); len(got.Records) != 2 {
		t.Errorf("records %v, want both", got.Records)
	}
}

func TestHoldReleasedRefuses(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 0})
	h := s.acquire(s.dial)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := h.Release(ended); err != nil {
			t.Errorf("release: %v", err)
		}
	}
	if err := h.Commit(t.Context(), s.change()); !errors.Is(err, ErrLost) {
		t.Errorf("commit after release: %v", err)
	}
	s.mustSee(s.oldState())
	s.finish()
}

func TestHoldRefusesBeforeWriting(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 0})
	w := s.wire()
	h := s.acquire(w.dial)
	for name, c := range map[string]struct {
		offsets []OffsetCommit
		want    error
	}{
		"nothing":          {nil, nil},
		"other partition":  {[]OffsetCommit{{Topic: s.topic, Partition: 2, Offset: 1}}, nil},
		"other topic":      {[]OffsetCommit{{Topic: s.out, Offset: 1}}, nil},
		"negative":         {[]OffsetCommit{{Topic: s.topic, Offset: -1}}, nil},
		"twice":            {[]OffsetCommit{{Topic: s.topic, Offset: 1}, {Topic: s.topic, Offset: 2}}, nil},
		"topic made anew":  {[]OffsetCommit{{Topic: s.topic, TopicID: [16]byte{9}, Offset: 1}}, ErrConflict},
		"long metadata":    {[]OffsetCommit{{Topic: s.topic, Offset: 1, Metadata: strings.Repeat("x", 4097)}}, ErrTooLarge},
		"long in UTF-16":   {[]OffsetCommit{{Topic: s.topic, Offset: 1, Metadata: strings.Repeat("😀", 2049)}}, ErrTooLarge},
		"one of two wrong": {[]OffsetCommit{{Topic: s.topic, Offset: 1}, {Topic: s.topic, Partition: 1, Offset: -1}}, nil},
	} {
		err := h.Commit(t.Context(), Commit{Offsets: c.offsets})
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, r := range w.requests() {
		if r.key == kmsg.OffsetCommit {
			t.Fatal("an OffsetCommit was sent")
		}
	}
}

func TestHoldLeavesALiveGroupAlone(t *testing.T) {
	for name, balancer := range map[string]kgo.Opt{"classic": nil, "consumer": kgo.ServerSideBalancer()} {
		t.Run(name, func(t *testing.T) {
			s, _ := fakeScene(t, setting{records: 0})
			live := s.consumer(balancer)
			live.awaitPartitions(2)
			w := s.wire()
			_, err := s.tryAcquire(t.Context(), w.dial)
			active, ok := errors.AsType[*ActiveError](err)
			if !ok || !errors.Is(err, ErrGroupActive) || len(active.Members) != 1 {
				t.Fatalf("acquired: %v", err)
			}
			if m := active.Members[0]; m.ClientID != "arriver" || m.ID == "" || m.Host == "" {
				t.Errorf("member %+v", m)
			}
			for _, r := range w.requests() {
				if r.key == kmsg.JoinGroup {
					t.Error("it tried to join")
				}
			}
			s.mustSee(s.oldState())
		})
	}
}

func TestTwoHoldsOnOneGroup(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 3})
	first := s.acquire(s.dial)
	_, err := s.tryAcquire(t.Context(), s.dial)
	active, ok := errors.AsType[*ActiveError](err)
	if !ok || len(active.Members) != 1 || active.Members[0].ClientID != holdClientID {
		t.Fatalf("second hold: %v", err)
	}
	if err := first.Commit(t.Context(), s.change()); err != nil {
		t.Fatal(err)
	}
	s.mustSee(s.newState())
}

// A new member that is so slow that the coordinator has forgotten the ID which it
// gave it (KIP-394) asks for another.
func TestHoldComesTooLateForItsID(t *testing.T) {
	t.Parallel()
	s, c := fakeScene(t, setting{records: 2})
	late := 2
	c.ControlKey(kmsg.JoinGroup.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if late == 0 || req.(*kmsg.JoinGroupRequest).MemberID == "" {
			return nil, nil, false
		}
		late--
		resp := req.ResponseKind().(*kmsg.JoinGroupResponse)
		resp.ErrorCode = kerr.UnknownMemberID.Code
		return resp, nil, true
	})
	h := s.acquire(s.dial)
	if err := h.Commit(t.Context(), s.change()); err != nil || late > 0 {
		t.Errorf("commit: %v; %d joins are still to come too late", err, late)
	}
}

func TestHoldLosesWhatTheBrokerForgets(t *testing.T) {
	s, c := fakeScene(t, setting{records: 2})
	h := s.acquire(s.dial)
	c.ControlKey(kmsg.Heartbeat.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = kerr.UnknownMemberID.Code
		return resp, nil, true
	})
	select {
	case <-h.Lost():
	case <-time.After(time.Minute):
		t.Fatal("not lost")
	}
	if err := h.Err(); !errors.Is(err, ErrLost) || !errors.Is(err, kerr.UnknownMemberID) {
		t.Errorf("lost by %v", err)
	}
	if err := h.Commit(t.Context(), s.change()); !errors.Is(err, ErrLost) {
		t.Errorf("commit: %v", err)
	}
	s.mustSee(s.oldState())
}

func TestHoldLeavesNothingBehind(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Run("run", func(t *testing.T) {
		s, _ := fakeScene(t, setting{records: 2})
		if err := s.repair(t.Context(), s.dial); err != nil {
			t.Fatal(err)
		}
		h := s.acquire(s.dial)
		arrived := s.consumer(nil)
		<-h.Lost()
		arrived.awaitPartitions(2)
	})
	goleak.VerifyNone(t, ignore)
}
