package repair

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// asNative gives p the records of c, as a load does.
func asNative(p *inspect.Partition, c Commit) {
	if len(c.Records) == 0 {
		return
	}
	e, err := foldNative(c.Records)
	if err != nil {
		panic(err)
	}
	p.Home, p.Format, p.Size = gapstore.HomeNative, nativeFormat, 0
	var states []codec.State
	for _, slot := range e.Slots {
		reading, err := slot.Read()
		p.Err = errors.Join(p.Err, err)
		p.Slots = append(p.Slots, gapstore.Slot{NativeID: slot.NativeID, NativeReading: reading, Err: err, Written: slot})
		p.Anomalies = append(p.Anomalies, reading.Anomalies...)
		p.Size += reading.Size
		states = append(states, reading.State)
	}
	if p.State = states[0]; len(states) > 1 {
		p.State = codec.UnionSlots(states...)
	}
}

// anyNative draws native records that say state: in one slot, in two, or with a
// chunk that counts for nothing.
func anyNative(t *rapid.T, state codec.State) []codec.Record {
	id := codec.NativeID{Group: "billing", TopicID: [16]byte{7}}
	encode := func(slot uint32, s codec.State) []codec.Record {
		id.Slot = slot
		records, err := codec.EncodeNative(codec.NativeCommit{NativeID: id, State: s})
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	switch rapid.IntRange(0, 2).Draw(t, "slots") {
	case 1:
		return append(encode(0, codec.Complete(state.Stable)), encode(4, state)...)
	case 2:
		far := encode(0, codec.State{Max: 1 << 20, Gaps: codec.NewRanges(codec.Range{Start: 1 << 19, End: 1<<19 + 3})})
		return append(far[:1:1], encode(0, state)...)
	}
	return encode(0, state)
}

// A native commit can be any other, and back, with the same state.
func TestConvertToNativeAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPartition(t, "parallel-consumer", "pyrallel", "greyhound", "")
		planned := plan(t, p, Convert{To: nativeFormat})
		if len(planned.Changes) != 1 {
			t.Fatalf("%+v", planned)
		}
		next, c := after(p, planned)
		if c.Metadata != "" || len(c.Records) == 0 || !c.State.Equal(p.State.Normalize()) || c.Offset != c.State.Stable {
			t.Fatalf("%+v became %+v", p.State, c)
		}
		checkCounts(t, p, planned)
		if !plan(t, next, Convert{To: nativeFormat}).Empty() || !plan(t, next, Reset{To: ToCurrent}).Empty() {
			t.Fatal("there is more to do")
		}
		_, back := after(next, plan(t, next, Convert{To: parallelConsumer}))
		if len(back.Records) > 0 || !back.State.Equal(c.State) {
			t.Fatalf("back to %+v", back)
		}
	})
}

// Where somebody has moved Kafka's offset, it decides; compact makes the
// records say the same.
func TestNativeOffsetMoved(t *testing.T) {
	records, err := codec.EncodeNative(codec.NativeCommit{
		NativeID: codec.NativeID{Group: "billing", TopicID: [16]byte{7}}, State: codec.State{Stable: 10, Max: 40, Gaps: ranges(t, "10-12,20,30")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for moved, want := range map[int64]string{21: "30", 25: "30", 40: "", 5: ""} {
		p := partition(newCommit(moved, -1, "").with(records), 0, 60)
		planned := plan(t, p, Compact{})
		var wantedGaps codec.Ranges
		if want != "" {
			wantedGaps = ranges(t, want)
		}
		next, c := after(p, planned)
		if got := c.State.Gaps.Intersect(below(universe)); len(planned.Changes) != 1 || !got.Equal(wantedGaps) {
			t.Fatalf("%d: gaps %q, want %s", moved, got, want)
		}
		if planned.Changes[0].Skips+planned.Changes[0].Reprocesses != 0 || c.Offset != c.State.Stable || !plan(t, next, Compact{}).Empty() {
			t.Errorf("%d: %+v", moved, planned.Changes[0])
		}
	}
}

// nativeStands is what the group has in the native topic, by partition.
func (s *scene) nativeStands() [2][]codec.Record {
	s.t.Helper()
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	loaded, _ := store.Load(s.t.Context(), []gapstore.Ref{{Group: sceneGroup}}, nil)
	if loaded[0].Err != nil {
		s.t.Fatal(loaded[0].Err)
	}
	var all [2][]codec.Record
	for _, e := range loaded[0].Entries {
		all[e.Partition] = e.NativeRecords()
	}
	return all
}

// allStands is everything that stands, to be compared.
func (s *scene) allStands() string { return fmt.Sprintf("%+v %x", s.stands(), s.nativeStands()) }

func (s *scene) mustApply(op Op) Plan {
	s.t.Helper()
	p := s.plan(op)
	if r := s.apply(s.dial, p); r.Err != nil || r.Count(Applied) != len(p.Changes) || len(p.Changes) != 2 {
		s.t.Fatalf("%s: %+v, %+v", op.Name(), r, p.Refusals)
	}
	for i, stands := range s.nativeStands() {
		if !sameRecords(stands, p.Changes[i].After.Records) {
			s.t.Fatalf("%s: the native topic holds %x, want %x", op.Name(), stands, p.Changes[i].After.Records)
		}
	}
	return p
}

// Converted, edited and converted back, and all of it undone: what stands is
// each time what stood, byte for byte.
func TestNativeApplyAndUndo(t *testing.T) {
	s := fakeScene(t)
	stood := []string{s.allStands()}
	ops := []Op{Convert{To: nativeFormat}, skipBoth(), Convert{To: "pyrallel"}, Convert{To: nativeFormat}, Reset{To: ToLatest}, Reset{To: ToEarliest}}
	for _, op := range ops {
		p := s.mustApply(op)
		if r := s.apply(s.dial, p); r.Err != nil || r.Count(Unchanged) != 2 {
			t.Fatalf("%s again: %+v", op.Name(), r)
		}
		stood = append(stood, s.allStands())
	}
	undone := len(ops)
	for _, e := range s.entries() {
		if !e.Undoable() {
			continue
		}
		undone--
		s.mustApply(Undo{ID: e.ID, Done: e.Plan})
		if got := s.allStands(); got != stood[undone] {
			t.Fatalf("undo of %s: %s, want %s", e.Plan.Op.Name(), got, stood[undone])
		}
	}
	if undone != 0 {
		t.Errorf("%d are not in the journal", undone)
	}
}

// A plan whose native records are those of another group or partition is refused,
// though its digest fits: they would be written over that one's.
func TestPlanOfForeignRecords(t *testing.T) {
	s := fakeScene(t)
	p := s.plan(Convert{To: nativeFormat})
	read := func(p Plan) error {
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := SavePlan(path, p); err != nil {
			t.Fatal(err)
		}
		_, err := LoadPlan(path)
		return err
	}
	if err := read(p); err != nil {
		t.Fatal(err)
	}
	group, partition, topic := p, p, p
	group.Group = "another"
	partition.Changes, topic.Changes = slices.Clone(p.Changes), slices.Clone(p.Changes)
	partition.Changes[1].Partition++
	topic.Changes[1].TopicID[0]++
	for name, foreign := range map[string]Plan{"group": group, "partition": partition, "topic": topic} {
		if err := read(foreign); !errors.Is(err, ErrBadPlan) || !strings.Contains(err.Error(), "another partition") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// Only the native records have moved: a conflict all the same.
func TestNativeConflict(t *testing.T) {
	s := fakeScene(t)
	converted := s.mustApply(Convert{To: nativeFormat})
	p := s.plan(skipBoth())
	s.mustApply(Reset{Done: []Target{{sceneTopic, 0, ranges(t, "9")}, {sceneTopic, 1, ranges(t, "12")}}}) // above the stable offset
	now := s.allStands()
	r := s.apply(s.dial, p)
	if !errors.Is(r.Err, gapstore.ErrConflict) || r.Count(Applied)+r.Count(Unchanged) > 0 || s.allStands() != now {
		t.Errorf("%+v", r)
	}
	if undo := s.plan(Undo{ID: "x", Done: converted}); len(undo.Refusals) != 2 {
		t.Errorf("undo of what is gone: %+v", undo.Changes)
	}
}

// A topic that can not hold gap commits is refused before anything is written.
func TestNativeTopicUnfit(t *testing.T) {
	s := fakeScene(t)
	admin := kadm.NewClient(s.client())
	small := "1000"
	if _, err := admin.CreateTopic(t.Context(), 3, 1, map[string]*string{"cleanup.policy": kadm.StringPtr("compact"), "max.message.bytes": &small}, codec.NativeTopic); err != nil {
		t.Fatal(err)
	}
	p, old := s.plan(Convert{To: nativeFormat}), s.allStands()
	if r := s.apply(s.dial, p); !errors.Is(r.Err, ErrRefused) || !errors.Is(r.Err, gapstore.ErrUnfit) || r.Count(Refused) != 2 || s.allStands() != old {
		t.Errorf("%+v", r)
	}
}

// Replay closes native gaps in the transactions of the copies.
func TestReplayNative(t *testing.T) {
	s := fakeScene(t)
	s.mustApply(Convert{To: nativeFormat})
	if _, err := kadm.NewClient(s.client()).CreateTopic(t.Context(), 2, 1, nil, "copies"); err != nil {
		t.Fatal(err)
	}
	p := s.mustApply(Replay{ToTopic: "copies"})
	if p.Changes[0].Copies != 4 || p.Changes[1].Copies != 3 {
		t.Errorf("%+v", p.Changes)
	}
	cl := s.client(kgo.ConsumeTopics("copies"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	for n := 0; n < 7; {
		fetches := cl.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		n += fetches.NumRecords()
	}
}
