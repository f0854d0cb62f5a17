package gapstore

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"github.com/gapctl/gapctl/codec"
)

// trackedRun is a partition whose records are done, committed and reloaded at
// random, beside a plain set of what is done, and one of what is committed.
type trackedRun struct {
	id        codec.NativeID
	tracked   *tracked
	topic     codec.NativeFold // the records that were committed
	kafka     int64            // the committed offset
	done      []bool           // by offset
	committed []bool
	// last is what the topic surely holds; unsure: a commit was made whose
	// answer was lost.
	last    codec.State
	unsure  bool
	touched map[int64]bool // windows, since then
}

// universe is the offsets that are drawn from: around the borders of windows.
const universe = 3 * codec.NativeWindow

func drawOffset(t *rapid.T) int64 {
	return rapid.OneOf(
		rapid.Int64Range(0, 20),
		rapid.Int64Range(codec.NativeWindow-10, codec.NativeWindow+10),
		rapid.Int64Range(2*codec.NativeWindow-10, universe-1),
	).Draw(t, "offset")
}

func (r *trackedRun) ack(t *rapid.T) {
	first := drawOffset(t)
	n := rapid.SampledFrom([]int64{1, 1, 1, 2, 3, 5, 5, 20, 20, codec.NativeWindow}).Draw(t, "records")
	from := min(first, r.tracked.set.Max()) / codec.NativeWindow
	for window := from; window <= (first+n)/codec.NativeWindow; window++ {
		r.touched[window] = true
	}
	// The chunk before counts the whole windows that follow it.
	for _, window := range slices.Backward(r.tracked.set.Windows()) {
		if window < from {
			r.touched[window] = true
			break
		}
	}
	for at := first; at < min(first+n, universe); at++ {
		r.tracked.done(&kgo.Record{Offset: at})
		r.done[at] = true
	}
}

// commit makes a commit, or one that is refused, or made without an answer.
func (r *trackedRun) commit(t *rapid.T) {
	d, ok, err := r.tracked.take(codec.NativeStamp{LeaderEpoch: -1, Generation: 7})
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		if !slices.Equal(r.done, r.committed) {
			t.Fatal("nothing to commit, but not all that is done is committed")
		}
		return
	}
	r.checkChunks(t, d)
	outcome := rapid.SampledFrom([]string{"made", "refused", "made, no answer"}).Draw(t, "outcome")
	if outcome != "refused" {
		for _, record := range d.records {
			if err := r.topic.Apply(record.Key, record.Value); err != nil {
				t.Fatal(err)
			}
		}
		r.kafka = d.commit.Offset
		copy(r.committed, r.done)
		r.last, r.unsure, r.touched = r.tracked.set.State(), false, map[int64]bool{}
	}
	if outcome == "made" {
		d.settle()
		return
	}
	d.giveBack()
	r.unsure = true
}

// checkChunks: each chunk that has changed is written, and no other, except where
// a change was taken back, as long as it is known what the topic holds.
func (r *trackedRun) checkChunks(t *rapid.T, d draft) {
	if r.unsure {
		return
	}
	changed, err := codec.EncodeNative(codec.NativeCommit{NativeID: r.id, State: r.tracked.set.State(), Prev: r.last})
	if err != nil {
		t.Fatal(err)
	}
	written, needed := chunks(t, d.records), chunks(t, changed)
	for window := range needed {
		if !written[window] {
			t.Fatalf("the chunk of window %d has changed, but is not written", window)
		}
	}
	for window := range written {
		if !needed[window] && !r.touched[window] {
			t.Fatalf("the chunk of window %d is written, but has not changed", window)
		}
	}
	if len(d.records) != len(written)+1 {
		t.Fatalf("%d records of %d chunks and a head", len(d.records), len(written))
	}
}

// chunks are the windows of the chunks among records.
func chunks(t rapid.TB, records []codec.Record) map[int64]bool {
	windows := map[int64]bool{}
	for _, r := range records {
		got, err := codec.DecodeNativeRecord(r.Key, r.Value)
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind == "chunk" {
			windows[got.Window] = true
		}
	}
	return windows
}

// crash forgets what was not committed.
func (r *trackedRun) crash(t *rapid.T) {
	copy(r.done, r.committed)
	var entry codec.NativeEntry
	for e := range r.topic.All() {
		entry = e
	}
	offset := kgo.NewOffset().AtStart()
	if r.kafka >= 0 {
		offset = kgo.NewOffset().At(r.kafka)
	}
	var err error
	o := takeover{id: r.id, share: whole(place{"orders", r.id.Partition}), native: entry, offset: offset.EpochOffset()}
	if r.tracked, err = o.resume(); err != nil {
		t.Fatal(err)
	}
	r.last, r.unsure, r.touched = r.tracked.set.State(), false, map[int64]bool{}
}

// check compares with the model.
func (r *trackedRun) check(t *rapid.T) {
	state := r.tracked.set.State()
	for range 20 {
		at := drawOffset(t)
		if state.Completed(at) != r.done[at] {
			t.Fatalf("offset %d done: %v, want %v", at, state.Completed(at), r.done[at])
		}
	}
	want := int64(0)
	for _, done := range r.done {
		if done {
			want++
		}
	}
	if n := state.Max - state.Outstanding(); n != want {
		t.Fatalf("%d offsets done, want %d", n, want)
	}
	if err := state.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestTrackedAgainstAPlainSet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &trackedRun{
			id: codec.NativeID{Group: "billing", TopicID: [16]byte{1}}, kafka: NoOffset,
			done: make([]bool, universe), committed: make([]bool, universe),
		}
		r.crash(t) // which begins
		t.Repeat(map[string]func(*rapid.T){"ack": r.ack, "commit": r.commit, "crash": r.crash, "": r.check})
	})
}

// What the log passes over holds no record, and is no gap.
func TestTrackedPassesOverWhatIsNoRecord(t *testing.T) {
	set := codec.NewGapSet(codec.Complete(10))
	tr := newTracked(place{}, codec.NativeID{}, set, kgo.EpochOffset{Offset: 10, Epoch: 3})
	tr.deliver(&kgo.Record{Offset: 12, LeaderEpoch: 3})
	tr.deliver(&kgo.Record{Offset: 20, LeaderEpoch: 4})
	tr.done(&kgo.Record{Offset: 20})
	if s := set.State(); s.Gaps.String() != "12" || s.Stable != 12 || s.Max != 21 {
		t.Errorf("state %+v", s)
	}
	if tr.deliver(&kgo.Record{Offset: 20, LeaderEpoch: 4}) || !tr.deliver(&kgo.Record{Offset: 12, LeaderEpoch: 3}) {
		t.Error("a done record is delivered again, or one that is not is kept back")
	}
	if tr.epochBefore(12) != 3 || tr.epochBefore(21) != 4 {
		t.Errorf("leader epochs %d, %d", tr.epochBefore(12), tr.epochBefore(21))
	}
}

// A group without any commit begins where the log does.
func TestTrackedBeginsAtTheFirstRecord(t *testing.T) {
	o := takeover{share: whole(place{}), offset: kgo.NewOffset().AtStart().EpochOffset()}
	tr, err := o.resume()
	if err != nil || tr.next != NoOffset {
		t.Fatalf("next %d, error %v", tr.next, err)
	}
	tr.deliver(&kgo.Record{Offset: 700})
	tr.deliver(&kgo.Record{Offset: 701})
	tr.done(&kgo.Record{Offset: 701})
	if s := tr.set.State(); s.Gaps.String() != "700" || s.Max != 702 {
		t.Errorf("state %+v", s)
	}
}

// Results are kept of what is this member's to finish, once: not of what another
// member has done since, or has to do.
func TestFinishOnlyWhatIsOpen(t *testing.T) {
	part := newTracked(place{"orders", 0}, codec.NativeID{}, codec.NewGapSet(codec.State{}), kgo.EpochOffset{})
	part.sharing, part.known = ByKey, codec.NewGapSet(codec.State{Stable: 1, Max: 1})
	part.share.points = codec.Range{End: pointSpace / 2}
	for offset, r := range []struct {
		key  string // foobar has the point 1357151166, abc has 479470107
		want bool
	}{{"abc", false}, {"foobar", false}, {"abc", true}, {"abc", true}} {
		record := &kgo.Record{Offset: int64(offset), Key: []byte(r.key)}
		if got := part.finish(record, 1, &kgo.Record{}); got != r.want {
			t.Errorf("offset %d: %v", offset, got)
		}
		if part.finish(record, 2, &kgo.Record{}) {
			t.Errorf("offset %d: twice", offset)
		}
	}
	if n := len(part.results.records); n != 2 {
		t.Errorf("%d results", n)
	}
}
