package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

func TestApplyThenAgainThenUndo(t *testing.T) {
	s := fakeScene(t)
	old := s.stands()
	p := s.plan(skipBoth())
	if r := s.apply(s.dial, p); r.Err != nil || r.Count(Applied) != 2 || s.stands() != wanted(p) {
		t.Fatalf("%+v, stands %+v", r, s.stands())
	}
	if r := s.apply(s.dial, p); r.Err != nil || r.Count(Unchanged) != 2 || s.stands() != wanted(p) {
		t.Fatalf("the second time: %+v", r)
	}
	if again := s.plan(skipBoth()); !again.Empty() {
		t.Fatalf("planned again: %+v", again.Changes)
	}
	entries := s.entries()
	first := entries[len(entries)-1]
	if !first.Undoable() || first.By != "me@here" || first.PID != os.Getpid() || entries[0].Undoable() {
		t.Fatalf("the journal: %+v", entries)
	}
	undo := s.plan(Undo{ID: first.ID, Done: first.Plan})
	if r := s.apply(s.dial, undo); r.Err != nil || s.stands() != old {
		t.Fatalf("undo: %+v, stands %+v", r, s.stands())
	}
}

// Every request of an apply is lost, before or after the broker has acted on
// it, for once or for good: what stands is the old state or the new one, the
// result says which, so does the journal, and a second apply finishes.
func TestNetworkFaultAtEveryStep(t *testing.T) {
	s := fakeScene(t)
	var clean wire
	if r := s.apply(clean.dial(s), s.plan(skipBoth())); r.Err != nil {
		t.Fatal(r.Err)
	}
	if len(clean.steps) < 10 {
		t.Fatalf("only %v", clean.steps)
	}
	for _, at := range clean.steps {
		for _, how := range []fault{lostRequest, lostAnswer, noRetry, gone} {
			t.Run(fmt.Sprintf("%s-%d/%s", at.key.Name(), at.nth, how), func(t *testing.T) {
				t.Parallel()
				survives(t, &wire{at: at, fault: how})
			})
		}
	}
}

func survives(t *testing.T, w *wire) {
	s := fakeScene(t)
	p, old := s.plan(skipBoth()), s.stands()
	r := s.apply(w.dial(s), p)
	if !w.hit {
		t.Skipf("this run did not come to %v", w.at)
	}
	now := s.stands()
	switch {
	case now != old && now != wanted(p):
		t.Fatalf("neither old nor new: %+v", now)
	case r.Count(Applied) == 2 && now != wanted(p), r.Count(Applied) == 1:
		t.Fatalf("applied, it says: %+v, but %+v stands", r, now)
	case r.Count(Applied) == 0 && r.Count(Unverified) == 0 && now != old:
		t.Fatalf("not applied, it says: %+v, but %+v stands", r, now)
	case r.Err == nil && r.Count(Applied) != 2:
		t.Fatalf("no error: %+v", r)
	case w.fault != gone && r.Count(Unverified) > 0:
		t.Fatalf("not settled: %+v", r)
	}
	for _, e := range s.entries() {
		if e.Undoable() != (r.Count(Applied)+r.Count(Unverified) > 0) || e.Plan.Digest() != p.Digest() {
			t.Fatalf("the journal says %+v of %+v", e, r)
		}
	}
	if members(t, s) > 0 {
		return // the broker still counts the lost hold as a member, until its session ends
	}
	if r := s.apply(s.dial, p); r.Err != nil || s.stands() != wanted(p) {
		t.Fatalf("the second time: %+v", r)
	}
}

func members(t *testing.T, s *scene) int {
	described, err := kadm.NewClient(s.client()).DescribeGroups(t.Context(), sceneGroup)
	if err != nil {
		t.Fatal(err)
	}
	return len(described[sceneGroup].Members)
}

// Something that moved since the plan is a conflict, and nothing is written:
// also when only the gaps have moved.
func TestApplyConflict(t *testing.T) {
	for _, gaps := range []string{"8", "7,13"} {
		s := fakeScene(t)
		p := s.plan(skipBoth())
		s.commit(1, gaps, 40)
		moved := s.stands()
		r := s.apply(s.dial, p)
		if !errors.Is(r.Err, gapstore.ErrConflict) || r.Outcomes[0].Status != NotAttempted || r.Outcomes[1].Status != Conflict {
			t.Errorf("%s: %+v", gaps, r)
		}
		if s.stands() != moved || s.entries()[0].Undoable() {
			t.Errorf("%s: written all the same: %+v", gaps, s.stands())
		}
	}
}

// A broker that says that it has written, and has not, is found out.
func TestApplyUnverified(t *testing.T) {
	s := fakeScene(t)
	p := s.plan(skipBoth())
	s.cluster.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.OffsetCommitResponse)
		for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
			rt := kmsg.NewOffsetCommitResponseTopic()
			rt.Topic, rt.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				rp := kmsg.NewOffsetCommitResponseTopicPartition()
				rp.Partition = p.Partition
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	r := s.apply(s.dial, p)
	if !errors.Is(r.Err, ErrUnverified) || r.Count(Unverified) != 2 || !s.entries()[0].Undoable() {
		t.Errorf("%+v", r)
	}
}

// A plan for another cluster, and a group with members, are refused.
func TestApplyRefuses(t *testing.T) {
	s := fakeScene(t)
	p, old := s.plan(skipBoth()), s.stands()
	other := p
	other.ClusterID = "elsewhere"
	if r := s.apply(s.dial, other); !errors.Is(r.Err, ErrOtherCluster) || r.Count(Refused) != 2 {
		t.Errorf("another cluster: %+v", r)
	}
	consumer := s.client(kgo.ConsumerGroup(sceneGroup), kgo.ConsumeTopics(sceneTopic), kgo.ClientID("worker-7"), kgo.DisableAutoCommit())
	consumer.PollFetches(t.Context())
	r := s.apply(s.dial, p)
	if !errors.Is(r.Err, ErrRefused) || !strings.Contains(r.Err.Error(), "worker-7") || r.Count(Refused) != 2 {
		t.Errorf("a group with members: %+v", r)
	}
	if s.stands() != old {
		t.Errorf("written all the same: %+v", s.stands())
	}
}

// Only an approval of this very plan counts, and only once.
func TestApprovalIsForOnePlanOnce(t *testing.T) {
	s := fakeScene(t)
	p, old := s.plan(skipBoth()), s.stands()
	other := p
	other.Changes = p.Changes[:1]
	a := s.applier(s.dial)
	for name, approval := range map[string]Approval{"none": {}, "of another plan": Approve(other, "me", "test")} {
		if r := a.Apply(t.Context(), p, approval); !errors.Is(r.Err, ErrRefused) || r.ID != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if s.stands() != old {
		t.Fatal("written without approval")
	}
	approval := Approve(p, "me", "test")
	if r := a.Apply(t.Context(), p, approval); r.Err != nil {
		t.Fatal(r.Err)
	}
	if r := a.Apply(t.Context(), p, approval); !errors.Is(r.Err, ErrRefused) {
		t.Errorf("used twice: %+v", r)
	}
}

// Two at once: one is refused or finds a conflict, or both come one after the
// other; what stands is whole.
func TestTwoAtOnce(t *testing.T) {
	s := fakeScene(t)
	p := s.plan(skipBoth())
	var wait sync.WaitGroup
	results := make([]Result, 2)
	for i := range results {
		wait.Go(func() { results[i] = s.apply(s.dial, p) })
	}
	wait.Wait()
	for _, r := range results {
		if r.Err != nil && r.Count(Applied)+r.Count(Unchanged) > 0 {
			t.Errorf("%+v", r)
		}
	}
	if results[0].Err == nil || results[1].Err == nil {
		if s.stands() != wanted(p) {
			t.Errorf("stands %+v", s.stands())
		}
	}
	if entries := s.entries(); len(entries) != 2 || entries[0].ID == entries[1].ID {
		t.Errorf("the journal: %+v", entries)
	}
}

// A caller that goes away leaves nothing half done.
func TestCancelledApply(t *testing.T) {
	s := fakeScene(t)
	p, old := s.plan(skipBoth()), s.stands()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := s.applier(s.dial).Apply(ctx, p, Approve(p, "me", "test"))
	if r.Err == nil || s.stands() != old {
		t.Errorf("%+v", r)
	}
	if e := s.entries()[0]; !e.Ended || e.Undoable() {
		t.Errorf("the journal: %+v", e)
	}
}
