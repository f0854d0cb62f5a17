package repair

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// worker is one process of a replay together, with a journal of its own.
type worker struct {
	scene   *scene
	cancel  context.CancelFunc
	plan    Plan
	done    chan struct{}
	result  Result
	mu      sync.Mutex
	notices []string
}

// start plans op and begins to apply it.
func (s *scene) start(op Replay) *worker {
	s.t.Helper()
	own := *s
	own.journal = Journal{Dir: s.t.TempDir()}
	return own.carryOut(own.plan(op))
}

func (s *scene) carryOut(p Plan) *worker {
	w := &worker{scene: s, plan: p, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(s.t.Context(), 50*time.Second)
	w.cancel = cancel
	a := s.applier(s.dial)
	a.Notice = func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.notices = append(w.notices, text)
	}
	go func() {
		defer close(w.done)
		w.result = a.Apply(ctx, p, Approve(p, "me@here", "test"))
	}()
	s.t.Cleanup(w.stop)
	return w
}

func (w *worker) stop() { w.cancel(); <-w.done }

// await waits for a notice that holds text.
func (w *worker) await(text string) {
	w.scene.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		w.mu.Lock()
		found := slices.ContainsFunc(w.notices, func(n string) bool { return strings.Contains(n, text) })
		w.mu.Unlock()
		if found {
			return
		}
		select {
		case <-w.done:
			w.scene.t.Fatalf("ended before %q: %+v", text, w.result)
		default:
		}
	}
	w.scene.t.Fatalf("no notice %q", text)
}

// last reports whether the last notice holds text.
func (w *worker) last(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.notices) > 0 && strings.Contains(w.notices[len(w.notices)-1], text)
}

func (w *worker) finish() Result {
	w.scene.t.Helper()
	<-w.done
	return w.result
}

// wideScene is a scene with 40 records outstanding in each partition.
func wideScene(t *testing.T) *scene {
	s := replayScene(t)
	s.commit(0, "2-41", 50)
	s.commit(1, "5-44", 50)
	return s
}

// eachOnce insists that each of those records was copied once.
func (s *scene) eachOnce() {
	s.t.Helper()
	got := s.copies()
	slices.Sort(got)
	if n := len(slices.Compact(slices.Clone(got))); n != 80 || len(got) != 80 {
		s.t.Errorf("%d copies, of %d records: %v", len(got), n, got)
	}
	for _, now := range s.stands() {
		if state := newCommit(now.Offset, -1, now.Metadata).State; !state.Equal(codec.Complete(50)) {
			s.t.Errorf("stands %+v", now)
		}
	}
}

// allOnce insists that each record was copied once, and all gaps are closed.
func (s *scene) allOnce() {
	s.t.Helper()
	got := s.copies()
	slices.Sort(got)
	want := slices.Sorted(slices.Values(allCopies))
	if !reflect.DeepEqual(got, want) || !s.closed() {
		s.t.Errorf("closed: %t, copied %v", s.closed(), got)
	}
}

func TestReplayTogether(t *testing.T) {
	s := replayScene(t)
	op := Replay{ToTopic: retryTopic, Together: true, Rate: 20}
	workers := []*worker{s.start(op), s.start(op), s.start(op)}
	var copied, others int64
	for _, w := range workers {
		r := w.finish()
		if r.Err != nil || r.Count(Applied)+r.Count(Unchanged) != 2 {
			t.Fatalf("%+v", r)
		}
		for _, o := range r.Outcomes {
			others += o.Others
			if o.Copied == 0 && o.Status == Applied || o.Copied > 0 && o.Status == Unchanged {
				t.Errorf("%+v", o)
			}
			if o.Copied+o.Others < 3 {
				t.Errorf("somebody else has finished the rest, but %+v", o)
			}
		}
		copied += r.Copied()
	}
	if copied != 7 || others != 14 {
		t.Errorf("%d copies by this one, %d by others", copied, others)
	}
	s.allOnce()
}

// Where there are more processes than partitions, one waits, until another leaves.
func TestReplayTogetherTakesOver(t *testing.T) {
	s := wideScene(t)
	op := Replay{ToTopic: retryTopic, Together: true, Rate: 10}
	team := []*worker{s.start(op), s.start(op), s.start(op)}
	idle := -1
	for deadline := time.Now().Add(30 * time.Second); idle < 0; time.Sleep(10 * time.Millisecond) {
		idle = slices.IndexFunc(team, func(w *worker) bool { return w.last("waits, ready to take over") })
		if time.Now().After(deadline) {
			t.Fatal("nobody waits")
		}
	}
	leaves := team[(idle+1)%len(team)]
	leaves.stop()
	team[idle].await("2 processes at work, 1 of 2")
	for _, w := range team {
		if r := w.finish(); w != leaves && r.Err != nil {
			t.Errorf("%+v", r)
		}
	}
	if r := leaves.result; r.Err == nil || r.Count(Applied) > 1 {
		t.Errorf("stopped half way: %+v", r)
	}
	s.eachOnce()
}

// A consumer that arrives gets the group, and each process says who came.
func TestReplayTogetherGivesWay(t *testing.T) {
	s := wideScene(t)
	op := Replay{ToTopic: retryTopic, Together: true, Rate: 5}
	first := s.start(op)
	first.await("1 process at work")
	second := s.start(op)
	second.await("2 processes at work")
	consumer := s.client(kgo.ClientID("arriver"), kgo.ConsumerGroup(sceneGroup), kgo.ConsumeTopics(sceneTopic), kgo.DisableAutoCommit())
	if fetches := consumer.PollFetches(t.Context()); fetches.Err() != nil {
		t.Fatal(fetches.Err())
	}
	for _, w := range []*worker{first, second} {
		r := w.finish()
		active, ok := errors.AsType[*gapstore.ActiveError](r.Err)
		if !ok || !strings.Contains(active.Error(), "arriver") || !errors.Is(r.Err, gapstore.ErrLost) {
			t.Errorf("%+v", r)
		}
	}
	if n := int64(len(s.copies())); n != first.result.Copied()+second.result.Copied() {
		t.Errorf("%d copies, and %d and %d are reported", n, first.result.Copied(), second.result.Copied())
	}
}

func TestReplayTogetherWithNobody(t *testing.T) {
	s := replayScene(t)
	r := s.apply(s.dial, s.plan(Replay{ToTopic: retryTopic, Together: true}))
	if r.Err != nil || r.Count(Applied) != 2 || r.Copied() != 7 {
		t.Fatalf("%+v", r)
	}
	s.allOnce()
	e := s.entries()[0]
	p := s.plan(Undo{ID: e.ID, Done: e.Plan, Left: e.Left})
	if r := s.apply(s.dial, p); r.Err != nil || r.Count(Applied) != 2 {
		t.Fatalf("undo: %+v, %+v", r, p)
	}
	for i, c := range e.Plan.Changes {
		if now := s.stands()[i]; now != c.Before.onWire(c.Target(), [16]byte{}) {
			t.Errorf("undone, and stands %+v", now)
		}
	}
}

// A replay together does not begin while anybody else has the group, nor does
// another repair while it is held together.
func TestReplayTogetherIsRefused(t *testing.T) {
	s := replayScene(t)
	together := Replay{ToTopic: retryTopic, Together: true, Rate: 1}
	p, alone := s.plan(together), s.plan(Replay{ToTopic: retryTopic})
	consumer := s.client(kgo.ConsumerGroup(sceneGroup), kgo.ConsumeTopics(sceneTopic), kgo.DisableAutoCommit())
	consumer.PollFetches(t.Context())
	if r := s.apply(s.dial, p); !errors.Is(r.Err, gapstore.ErrGroupActive) || r.Count(Refused) != 2 {
		t.Errorf("%+v", r)
	}
	consumer.Close()
	w := s.start(together)
	w.await("1 process at work")
	if r := s.apply(s.dial, alone); !errors.Is(r.Err, gapstore.ErrGroupActive) || r.Count(Refused) != 2 {
		t.Errorf("%+v", r)
	}
}

// What was outstanding when the plan was made, and was done by a consumer since,
// is not delivered; what became outstanding again is a conflict.
func TestReplayTogetherFindsOtherGaps(t *testing.T) {
	s := replayScene(t)
	p := s.plan(Replay{ToTopic: retryTopic, Together: true})
	s.commit(0, "4,9,21-22", 25)
	r := s.apply(s.dial, p)
	if r.Err != nil || r.Copied() != 5 || r.Outcomes[0].Others != 2 {
		t.Fatalf("%+v", r)
	}
	if got := s.copies(); !reflect.DeepEqual(got, []string{"0@4", "0@9", "1@7", "1@11", "1@12"}) {
		t.Errorf("copied %v", got)
	}
	if now := s.stands()[0]; newCommit(now.Offset, -1, now.Metadata).State.Gaps.String() != "21-22" {
		t.Errorf("stands %+v", now)
	}
	p = s.plan(Replay{ToTopic: retryTopic, Together: true})
	s.commit(0, "8,21-22", 25)
	if r := s.apply(s.dial, p); !errors.Is(r.Err, gapstore.ErrConflict) || r.Count(Conflict) != 1 || r.Copied() != 0 {
		t.Errorf("%+v", r)
	}
}

func TestReplayTogetherNeedsATopic(t *testing.T) {
	for _, op := range []Replay{{Exec: "true", Together: true}, {ToStdout: true, Together: true}, {ToTopic: "t", Rejected: true, Together: true}} {
		if op.check() == nil {
			t.Errorf("%+v was accepted", op)
		}
	}
}

// The JSON of the result says of each partition what others did there.
func TestResultOfReplayTogether(t *testing.T) {
	s := replayScene(t)
	p := s.plan(Replay{ToTopic: retryTopic, Together: true})
	s.commit(1, "41", 50)
	r := s.apply(s.dial, p)
	if data := document(t, r); !bytes.Contains(data, []byte(`"others":3`)) || !bytes.Contains(data, []byte(`"others":0`)) {
		t.Errorf("%s", data)
	}
}
