package repair

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

func recordOf(r *kgo.Record) *inspect.Record {
	return &inspect.Record{Record: r, Group: "billing", State: inspect.RecordOutstanding, Deliveries: -1}
}

// sharedState is the delivery state of the only partition of the group.
func (s *realScene) sharedState() (start int64, of map[int64]codec.Delivery) {
	s.t.Helper()
	p := &s.gather().Groups[0].Partitions[0]
	of = map[int64]codec.Delivery{}
	for _, d := range p.State.Delivery {
		for offset := d.Start; offset < d.End; offset++ {
			of[offset] = d
		}
	}
	return p.Committed, of
}

// A real share group: what it has rejected is copied, one record is skipped and
// the others keep their state, and a reset starts it afresh.
func TestKafkaShareGroup(t *testing.T) {
	b := kafkatest.Shared(t)
	const topic, retry, records = "share-repair", "share-repair-retry", 60
	b.CreateTopic(topic, 1, nil)
	b.CreateTopic(retry, 1, nil)
	b.Fill(topic, 1, records)
	s := kafkaScene(t, b, "share-repairers")
	acks := b.RunShare(kafkatest.ShareOptions{
		Group: s.group, Topics: []string{topic}, UntilCovered: true,
		Reject: kafkatest.EveryPlus(5, 2), Release: kafkatest.EveryPlus(7, 3),
	})
	var rejected, released []int64
	for _, a := range acks {
		switch a.Type {
		case "reject":
			rejected = append(rejected, a.Offset)
		case "release":
			released = append(released, a.Offset)
		}
	}
	slices.Sort(rejected)
	slices.Sort(released)
	// A lock that runs out on a busy machine brings a record twice.
	rejected, released = slices.Compact(rejected), slices.Compact(released)

	// Of what the start of the group has passed, the broker keeps no state.
	start, _ := s.sharedState()
	rejected = slices.DeleteFunc(rejected, func(offset int64) bool { return offset < start })
	s.repair(Replay{ToTopic: retry, Rejected: true})
	if got := readOrigins(t, b, retry, len(rejected)); !slices.Equal(got, rejected) {
		t.Errorf("copied %v, rejected were %v", got, rejected)
	}
	// A released record comes again while others are still to come: up to the
	// fifth time, when the broker gives it up.
	_, before := s.sharedState()
	released = slices.DeleteFunc(released, func(offset int64) bool {
		return before[offset].State != codec.Available || before[offset].Count < 1 || before[offset].Count > 3
	})
	if len(released) < 3 {
		t.Fatalf("left of what was released: %v of %v", released, before)
	}
	skip := released[len(released)/2]
	s.skipShared(topic, skip)
	_, after := s.sharedState()
	for _, offset := range released {
		count, state := before[offset].Count, codec.Available
		switch {
		case offset < skip: // on the way there it was delivered, and released
			count++
		case offset == skip:
			count, state = after[offset].Count, codec.Acknowledged
		}
		if d := after[offset]; d.State != state || d.Count != count {
			t.Errorf("offset %d is state %d, delivered %d times, not state %d, %d times", offset, d.State, d.Count, state, count)
		}
	}
	s.resetShared(topic)
}

func (s *realScene) skipShared(topic string, offset int64) {
	s.t.Helper()
	one := codec.NewRanges(codec.Range{Start: offset, End: offset + 1})
	p, _ := s.repair(Reset{Done: []Target{{topic, 0, one}}})
	if _, ok := p.Op.(ShareSkip); !ok || p.Changes[0].Skips != 1 || !p.Live() {
		s.t.Errorf("planned %+v", p)
	}
	again := s.plan(Reset{Done: []Target{{topic, 0, one}}})
	if len(again.Refusals) != 1 {
		s.t.Errorf("again: %+v", again)
	}
}

func (s *realScene) resetShared(topic string) {
	s.t.Helper()
	p := s.plan(Reset{To: ToOffset, Offset: 10})
	stale := s.plan(Reset{To: ToOffset, Offset: 12})
	r := s.applier(s.dial).Apply(s.t.Context(), p, Approve(p, "me@here", "test"))
	if r.Err != nil || r.Count(Applied) != 1 || p.Changes[0].Reprocesses == 0 {
		s.t.Fatalf("%+v of %+v", r, p)
	}
	if start, state := s.sharedState(); start != 10 || len(state) != 0 {
		s.t.Errorf("start %d, state %v", start, state)
	}
	r = s.applier(s.dial).Apply(s.t.Context(), stale, Approve(stale, "me@here", "test"))
	if !errors.Is(r.Err, gapstore.ErrConflict) || r.Count(Conflict) != 1 {
		s.t.Errorf("a stale plan: %+v", r)
	}
}

// A real share group: its offsets are deleted and come back by undo, where
// they started, and without what was delivered.
func TestKafkaShareGroupDeleted(t *testing.T) {
	b := kafkatest.Shared(t)
	const topic, records = "share-deleted", 40
	b.CreateTopic(topic, 1, nil)
	b.Fill(topic, 1, records)
	s := kafkaScene(t, b, "share-deleters")
	acks := b.RunShare(kafkatest.ShareOptions{Group: s.group, Topics: []string{topic}, UntilCovered: true, Release: kafkatest.EveryPlus(9, 5)})
	if len(acks) == 0 {
		t.Fatal("nothing was delivered")
	}
	start, delivered := s.sharedState()
	if len(delivered) == 0 {
		t.Fatal("no delivery is kept")
	}
	p, r := s.repair(Reset{To: ToNone})
	if p.Changes[0].Reprocesses == 0 || len(p.Warnings) != 2 {
		t.Errorf("planned %+v", p)
	}
	if left := s.gather().Groups[0].Partitions; len(left) != 0 {
		t.Fatalf("still there: %+v", left)
	}
	undo := s.planUndo(r.ID, inspect.Topics{{Topic: topic}})
	if done := s.applier(s.dial).Apply(t.Context(), undo, Approve(undo, "me@here", "test")); done.Err != nil || done.Count(Applied) != 1 {
		t.Fatalf("%+v of %+v", done, undo)
	}
	if again, delivered := s.sharedState(); again != start || len(delivered) != 0 {
		t.Errorf("start %d, was %d, %v", again, start, delivered)
	}
	// What was skipped, nothing brings back.
	s.skipShared(topic, 7)
	entries := s.entries()
	if entries[0].Plan.Op.Name() != (ShareSkip{}).Name() || entries[0].Undoable() {
		t.Errorf("%+v", entries[0])
	}
}

// planUndo plans the undoing of a repair.
func (s *realScene) planUndo(id string, topics inspect.Topics) Plan {
	s.t.Helper()
	entry, err := s.journal.Entry(id)
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	snapshot := s.gather()
	g := &snapshot.Groups[0]
	if err := AddUncommitted(s.t.Context(), store, g, topics); err != nil {
		s.t.Fatal(err)
	}
	p, err := NewPlan(snapshot, Undo{ID: id, Done: entry.Plan, Left: entry.Left})
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// A real group: commits are made where there were none, and taken back; all are
// deleted, and brought back.
func TestKafkaCommitsMadeAndDeleted(t *testing.T) {
	b := kafkatest.Shared(t)
	const topic = "made-and-deleted"
	b.CreateTopic(topic, 3, nil)
	b.Fill(topic, 3, 50)
	s := kafkaScene(t, b, "makers")
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, Partition: 0, At: 7, LeaderEpoch: -1})
	if err := kadm.NewClient(b.Client()).CommitAllOffsets(t.Context(), s.group, offsets); err != nil {
		t.Fatal(err)
	}
	committed := func() (offsets []int64) {
		for _, p := range s.gather().Groups[0].Partitions {
			offsets = append(offsets, p.Committed)
		}
		return offsets
	}
	all := inspect.Topics{{Topic: topic}}
	for _, op := range []struct {
		reset Reset
		want  []int64
	}{{Reset{To: ToOffset, Offset: 20}, []int64{20, 20, 20}}, {Reset{To: ToNone}, nil}} {
		p := s.planOn(op.reset, all)
		r := s.applier(s.dial).Apply(t.Context(), p, Approve(p, "me@here", "test"))
		if got := committed(); r.Err != nil || !slices.Equal(got, op.want) {
			t.Fatalf("%+v: committed %v, %+v", op.reset, got, r)
		}
		undo := s.planUndo(r.ID, all)
		r = s.applier(s.dial).Apply(t.Context(), undo, Approve(undo, "me@here", "test"))
		if got := committed(); r.Err != nil || !slices.Equal(got, []int64{7}) {
			t.Fatalf("undone: committed %v, %+v of %+v", got, r, undo)
		}
	}
}

// planOn plans op on all partitions of topics.
func (s *realScene) planOn(op Op, topics inspect.Topics) Plan {
	s.t.Helper()
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	snapshot := s.gather()
	if err := AddUncommitted(s.t.Context(), store, &snapshot.Groups[0], topics); err != nil {
		s.t.Fatal(err)
	}
	p, err := NewPlan(snapshot, op)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// readOrigins is the offsets of which n copies are in partition 0, sorted.
func readOrigins(t *testing.T, b *kafkatest.Broker, topic string, n int) []int64 {
	t.Helper()
	client := b.Client(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	var offsets []int64
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(offsets) < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d copies of %d: %v", len(offsets), n, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			o, ok := gapstore.OriginOf(r)
			if !ok || o.Deliveries != 1 {
				t.Errorf("headers %v", r.Headers)
			}
			offsets = append(offsets, o.Offset)
		})
	}
	slices.Sort(offsets)
	return offsets
}
