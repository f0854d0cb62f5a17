package repair

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// planAll plans op on all partitions of the topic, committed or not.
func (s *scene) planAll(op Op, more ...func(*inspect.Group)) Plan {
	s.t.Helper()
	return s.planOf(op, func(store *gapstore.Store, g *inspect.Group) {
		g.Err = nil // a group that is gone
		if err := AddUncommitted(s.t.Context(), store, g, inspect.Topics{{Topic: sceneTopic}}); err != nil {
			s.t.Fatal(err)
		}
		for _, change := range more {
			change(g)
		}
	})
}

// forget deletes the commit of a partition.
func (s *scene) forget(partition int32) {
	s.t.Helper()
	set := kadm.TopicsSet{}
	set.Add(sceneTopic, partition)
	answers, err := kadm.NewClient(s.client()).DeleteOffsets(s.t.Context(), sceneGroup, set)
	if err != nil || answers.Error() != nil {
		s.t.Fatal(err, answers.Error())
	}
}

// applied applies p and insists on it.
func (s *scene) applied(p Plan) Result {
	s.t.Helper()
	r := s.apply(s.dial, p)
	if r.Err != nil || len(p.Changes) == 0 || r.Count(Applied) != len(p.Changes) || len(p.Refusals) > 0 {
		s.t.Fatalf("%+v\n%+v", p, r)
	}
	return r
}

// undone undoes a repair and insists on it.
func (s *scene) undone(id string) Plan {
	s.t.Helper()
	entry, err := s.journal.Entry(id)
	if err != nil || !entry.Undoable() {
		s.t.Fatalf("%+v, %v", entry, err)
	}
	p := s.planAll(Undo{ID: id, Done: entry.Plan, Left: entry.Left})
	s.applied(p)
	return p
}

// A reset makes a commit where there is none; undone, there is none again.
func TestResetMakesACommit(t *testing.T) {
	s := fakeScene(t)
	s.forget(1)
	before := s.stands()
	if before[1].Offset >= 0 {
		t.Fatalf("still committed: %+v", before)
	}
	p := s.planAll(Reset{To: ToOffset, Offset: 15})
	if len(p.Changes) != 2 || !p.Changes[1].Before.none() || p.Changes[1].Skips != 15 || len(p.Warnings) != 1 {
		t.Fatalf("planned %+v", p)
	}
	r := s.applied(p)
	if now := s.stands(); now[1].Offset != 15 || now[1].Metadata != "" {
		t.Errorf("stands %+v", now)
	}
	if again := s.apply(s.dial, p); again.Err != nil || again.Count(Unchanged) != 2 {
		t.Errorf("again: %+v", again)
	}
	if undo := s.undone(r.ID); !undo.Changes[1].After.none() {
		t.Errorf("undo is %+v", undo.Changes)
	}
	if now := s.stands(); now != before {
		t.Errorf("stands %+v, before %+v", now, before)
	}
}

func TestResetOfWhatIsNotCommitted(t *testing.T) {
	s := fakeScene(t)
	s.forget(1)
	for _, c := range []struct {
		op     Reset
		want   int64
		refuse string
	}{
		{Reset{To: ToEarliest}, 0, ""}, {Reset{To: ToLatest}, 50, ""}, {Reset{To: ToCurrent}, 50, ""},
		{Reset{To: ToShift, Offset: 3}, -1, "nothing is committed"}, {Reset{To: ToOffset, Offset: 99}, -1, "outside the log"},
		{Reset{To: ToOffset, Offset: 99, Clamp: true}, 50, ""}, {Reset{Done: []Target{{sceneTopic, 1, ranges(t, "3")}}}, -1, "nothing is committed"},
	} {
		p := s.planAll(c.op)
		got, refusal := int64(-1), ""
		for _, change := range p.Changes {
			if change.Partition == 1 {
				got = change.After.Offset
			}
		}
		for _, r := range p.Refusals {
			if r.Partition == 1 {
				refusal = r.Message
			}
		}
		if got != c.want || !strings.Contains(refusal, c.refuse) || c.refuse == "" && refusal != "" {
			t.Errorf("%+v: commits %d, refuses %q", c.op, got, refusal)
		}
	}
}

// All commits are deleted, and undone they are back, byte for byte, though the
// group itself was gone in between.
func TestDeletedCommitsComeBack(t *testing.T) {
	s := fakeScene(t)
	before := s.stands()
	p := s.planAll(Reset{To: ToNone})
	if p.Changes[0].Reprocesses != 16 || len(p.Warnings) != 1 {
		t.Errorf("planned %+v", p)
	}
	r := s.applied(p)
	if now := s.stands(); now[0].Offset >= 0 || now[1].Offset >= 0 {
		t.Fatalf("stands %+v", now)
	}
	s.undone(r.ID)
	if now := s.stands(); now != before {
		t.Errorf("stands %+v, before %+v", now, before)
	}
}

// What has moved since the plan is not deleted.
func TestDeletionIsCompared(t *testing.T) {
	s := fakeScene(t)
	p := s.planAll(Reset{To: ToNone})
	s.commit(1, "7", 30)
	before := s.stands()
	if r := s.apply(s.dial, p); r.Count(Conflict) != 1 || r.Count(Applied) != 0 || s.stands() != before {
		t.Errorf("%+v, stands %+v", r, s.stands())
	}
}

// A plan with commits that are not there survives being saved.
func TestPlanWithoutCommitSurvivesJSON(t *testing.T) {
	s := fakeScene(t)
	s.forget(1)
	for _, op := range []Op{Reset{To: ToOffset, Offset: 15}, Reset{To: ToNone}} {
		p := s.planAll(op)
		data := document(t, p)
		again, err := ReadPlan(strings.NewReader(string(data)))
		if err != nil || again.Digest() != p.Digest() || !reflect.DeepEqual(again.Warnings, p.Warnings) {
			t.Errorf("%s\n%v", data, err)
		}
		if !strings.Contains(string(data), `"committed":null`) {
			t.Errorf("%s", data)
		}
	}
}

// A replay that was stopped half way is undone as far as it got.
func TestUndoOfHalfAReplay(t *testing.T) {
	s := replayScene(t)
	before := s.stands()
	p := s.plan(Replay{ToTopic: retryTopic, Rate: 5})
	r := s.stopped(p)
	copied := s.copies()
	if r.Err == nil || len(copied) == 0 || len(copied) == len(allCopies) || s.stands() == before {
		t.Fatalf("%+v, copied %v", r, copied)
	}
	undo := s.undone(r.ID)
	if why := undo.Changes[0].Why; !strings.Contains(why, "stopped after") || len(undo.Warnings) != 1 {
		t.Errorf("why: %q, warnings %q", why, undo.Warnings)
	}
	if now := s.stands(); now != before {
		t.Errorf("stands %+v, before %+v", now, before)
	}
	if got := s.copies(); !reflect.DeepEqual(got, copied) {
		t.Errorf("copies are %v, were %v", got, copied)
	}
}

// Where a consumer went on after the half replay, undo leaves it alone.
func TestUndoKnowsWhatTheReplayLeft(t *testing.T) {
	s := replayScene(t)
	r := s.stopped(s.plan(Replay{ToTopic: retryTopic, Rate: 5}))
	s.commit(0, "9", 20) // between before and after, but no batch
	entry, err := s.journal.Entry(r.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := s.planAll(Undo{ID: r.ID, Done: entry.Plan, Left: entry.Left})
	if len(p.Refusals) != 1 || p.Refusals[0].Partition != 0 || !strings.Contains(p.Refusals[0].Message, "moved since") {
		t.Errorf("%+v", p)
	}
}

func TestReplayWarnsOfTheGroupsOwnTopic(t *testing.T) {
	s := replayScene(t)
	if p := s.plan(Replay{ToTopic: sceneTopic}); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "itself reads "+sceneTopic) {
		t.Errorf("warnings %q", p.Warnings)
	}
	if p := s.plan(Replay{ToTopic: retryTopic}); len(p.Warnings) != 0 {
		t.Errorf("warnings %q", p.Warnings)
	}
	r := s.applied(s.plan(Replay{ToTopic: sceneTopic}))
	if r.Copied() != int64(len(allCopies)) || !s.closed() {
		t.Errorf("%+v", r)
	}
}

// The broker of a share group forgets deliveries: undo says so.
func TestShareUndoSaysWhatIsLost(t *testing.T) {
	p := partition(newCommit(40, -1, ""), 0, 100)
	p.Home, p.Format = gapstore.HomeShareState, "share-group"
	p.State.Delivery = []codec.Delivery{
		{Range: codec.Range{Start: 40, End: 45}, State: codec.Acknowledged, Count: 1},
		{Range: codec.Range{Start: 45, End: 47}, State: codec.Archived, Count: 5},
	}
	s := snapshot(p)
	s.Groups[0].Type = "share"
	for _, op := range []Reset{{To: ToOffset, Offset: 60}, {To: ToNone}} {
		done, err := NewPlan(s, op)
		if err != nil || len(done.Changes) != 1 {
			t.Fatalf("%+v %v", done, err)
		}
		after := partition(newCommit(60, -1, ""), 0, 100)
		after.Home = gapstore.HomeShareState
		after.Committed = done.Changes[0].After.Offset
		now := snapshot(after)
		now.Groups[0].Type = "share"
		undo, err := NewPlan(now, Undo{ID: "x", Done: done})
		if err != nil || len(undo.Changes) != 1 || undo.Changes[0].After.Offset != 40 || len(undo.Warnings) == 0 {
			t.Fatalf("%+v %v", undo, err)
		}
		if why := undo.Changes[0].Why; !strings.Contains(why, "5 accepted, 2 rejected") {
			t.Errorf("why: %s", why)
		}
	}
	for _, done := range []Op{ShareSkip{}, ShareReplay{Replay{ToTopic: retryTopic}}} {
		if undo, err := NewPlan(s, Undo{ID: "x", Done: Plan{Op: done}}); !errors.Is(err, ErrRefused) {
			t.Errorf("undo of %s: %+v %v", done.Name(), undo, err)
		}
	}
}

// stopped applies p, a slow replay, and ends it after the first batch.
func (s *scene) stopped(p Plan) Result {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	a := s.applier(s.dial)
	a.Progress = func(int64) { cancel() }
	return a.Apply(ctx, p, Approve(p, "me@here", "test"))
}
