package codec

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// foldVectors applies records given as hexadecimal; a value of "-" is null.
func foldVectors(t *testing.T, records ...[2]string) *ShareFold {
	t.Helper()
	f := &ShareFold{}
	for _, r := range records {
		var value []byte
		if r[1] != "-" {
			value = unhex(r[1])
		}
		if err := f.Apply(unhex(r[0]), value); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func onlyState(t *testing.T, f *ShareFold) ShareState {
	t.Helper()
	var states []ShareState
	for key, s := range f.All() {
		if key != vectorShare {
			t.Fatalf("key %+v", key)
		}
		states = append(states, s)
	}
	if len(states) != 1 {
		t.Fatalf("%d states", len(states))
	}
	return states[0]
}

func TestShareFoldVectors(t *testing.T) {
	s := onlyState(t, foldVectors(t, [2]string{snapshotKey, snapshotValue}, [2]string{updateKey, updateValue}))
	want := ShareState{SnapshotEpoch: 1, StateEpoch: 2, LeaderEpoch: 5, StartOffset: 100, DeliveryComplete: 5, Batches: []Delivery{
		{Range{101, 105}, Acknowledged, 1}, {Range{105, 106}, Archived, 5}, {Range{106, 108}, Available, 2}}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

func TestShareFoldRules(t *testing.T) {
	const (
		movedStart = "0000 00000001 ffffffff 0000000000000068 01 00"             // start 104, epoch kept, count not known
		newLeader  = "0000 00000001 00000009 ffffffffffffffff 01 01000400000007" // no batches
	)
	t.Run("start and unset fields", func(t *testing.T) {
		s := onlyState(t, foldVectors(t, [2]string{snapshotKey, snapshotValue}, [2]string{updateKey, movedStart}))
		want := []Delivery{{Range{104, 105}, Acknowledged, 1}, {Range{105, 106}, Archived, 5}, {Range{106, 108}, Available, 2}}
		if s.StartOffset != 104 || s.LeaderEpoch != 5 || s.DeliveryComplete != -1 || !slices.Equal(s.Batches, want) {
			t.Errorf("%+v", s)
		}
	})
	t.Run("leader epoch", func(t *testing.T) {
		s := onlyState(t, foldVectors(t, [2]string{snapshotKey, snapshotValue}, [2]string{updateKey, newLeader}))
		if s.StartOffset != 100 || s.LeaderEpoch != 9 || s.DeliveryComplete != 7 || len(s.Batches) != 3 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("snapshot replaces", func(t *testing.T) {
		s := onlyState(t, foldVectors(t, [2]string{snapshotKey, snapshotValue}, [2]string{updateKey, updateValue}, [2]string{snapshotKey, freshValue}))
		if s.Initialized() || s.DeliveryComplete != -1 || len(s.Batches) != 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("update alone", func(t *testing.T) {
		s := onlyState(t, foldVectors(t, [2]string{updateKey, updateValue}))
		if s.StartOffset != -1 || s.DeliveryComplete != 5 || len(s.Batches) != 1 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("tombstone forgets", func(t *testing.T) {
		for range foldVectors(t, [2]string{snapshotKey, snapshotValue}, [2]string{snapshotKey, "-"}).All() {
			t.Error("a state is left")
		}
	})
}

// TestShareFoldDamage: a value that can not be read marks its state until the
// next snapshot; a key that can not be read marks nothing.
func TestShareFoldDamage(t *testing.T) {
	f := foldVectors(t, [2]string{snapshotKey, snapshotValue})
	if err := f.Apply(unhex(updateKey), unhex("0000 00")); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("a cut value: %v", err)
	}
	if err := f.Apply(unhex(updateKey), unhex(updateValue)); err != nil {
		t.Fatal(err)
	}
	if s := onlyState(t, f); !errors.Is(s.Err, ErrCorrupt) || s.StartOffset != 100 {
		t.Errorf("%+v", s)
	}
	if err := f.Apply(unhex(snapshotKey), unhex(snapshotValue)); err != nil {
		t.Fatal(err)
	}
	if err := f.Apply([]byte{0, 9}, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("an unknown type: %v", err)
	}
	if s := onlyState(t, f); s.Err != nil {
		t.Errorf("a new snapshot is still marked: %v", s.Err)
	}
}

func TestShareFoldOrder(t *testing.T) {
	f := &ShareFold{}
	for _, key := range []string{
		"0000 0001 62 000102030405060708090a0b0c0d0e0f 00000000",
		"0000 0001 61 010102030405060708090a0b0c0d0e0f 00000000",
		"0000 0001 61 000102030405060708090a0b0c0d0e0f 00000002",
		"0000 0001 61 000102030405060708090a0b0c0d0e0f 00000001",
	} {
		if err := f.Apply(unhex(key), unhex(freshValue)); err != nil {
			t.Fatal(err)
		}
	}
	var got []ShareKey
	for key := range f.All() {
		got = append(got, key)
	}
	if len(got) != 4 || got[0].Partition != 1 || got[1].Partition != 2 || got[2].TopicID[0] != 1 || got[3].Group != "b" {
		t.Errorf("%+v", got)
	}
}

// perOffset is the plain model of a share partition: what is known of each offset.
type perOffset map[int64]Delivery

func (m perOffset) put(batches []Delivery, start int64) {
	for _, b := range batches {
		for offset := b.Start; offset < b.End; offset++ {
			old, known := m[offset]
			if !known || b.Count > old.Count || b.Count == old.Count && b.State > old.State {
				m[offset] = Delivery{State: b.State, Count: b.Count}
			}
		}
	}
	for offset := range m {
		if offset < start {
			delete(m, offset)
		}
	}
}

func anyBatches() *rapid.Generator[[]Delivery] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Delivery {
		start := rapid.Int64Range(0, universe-1).Draw(t, "first")
		return Delivery{
			Range: Range{start, min(universe, start+rapid.Int64Range(1, 8).Draw(t, "length"))},
			State: rapid.SampledFrom([]DeliveryState{Available, Acknowledged, Archived}).Draw(t, "state"),
			Count: rapid.Int16Range(1, 4).Draw(t, "count"),
		}
	}), 0, 40)
}

// TestShareFoldAgainstOffsets: collecting updates and combining them by ranges
// says the same as doing it offset by offset at once.
func TestShareFoldAgainstOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := perOffset{}
		e := shareEntry{ShareState: ShareState{StartOffset: rapid.Int64Range(-1, universe).Draw(t, "start"), Batches: anyBatches().Draw(t, "snapshot")}}
		model.put(e.Batches, 0)
		start := e.StartOffset
		for range rapid.IntRange(0, 12).Draw(t, "updates") {
			r := ShareRecord{Kind: ShareUpdate, StartOffset: rapid.Int64Range(-1, universe).Draw(t, "start"), Batches: anyBatches().Draw(t, "update")}
			if r.StartOffset >= 0 {
				start = r.StartOffset
			}
			model.put(r.Batches, start)
			e.update(r)
		}
		e.settle()
		held := perOffset{}
		for i, b := range e.Batches {
			if b.Empty() || i > 0 && (e.Batches[i-1].End > b.Start || e.Batches[i-1].End == b.Start && e.Batches[i-1].State == b.State && e.Batches[i-1].Count == b.Count) {
				t.Fatalf("%+v is not sorted, disjoint and joined", e.Batches)
			}
			held.put([]Delivery{b}, 0)
		}
		if !reflect.DeepEqual(held, model) || e.StartOffset != start {
			t.Fatalf("start %d: %v\nwant start %d: %v", e.StartOffset, held, start, model)
		}
	})
}

// TestShareFoldManyUpdates: a long run of updates to a large state costs about
// their number. Combining at every update would take minutes.
func TestShareFoldManyUpdates(t *testing.T) {
	e := shareEntry{ShareState: ShareState{StartOffset: 0}}
	for i := range int64(20_000) {
		e.Batches = append(e.Batches, Delivery{Range{3 * i, 3*i + 1}, Available, 1})
	}
	for i := range int64(200_000) {
		e.update(ShareRecord{StartOffset: -1, Batches: []Delivery{{Range{i % 60_000, i%60_000 + 1}, Acknowledged, int16(i / 60_000)}}})
	}
	if e.settle(); len(e.Batches) != 2 || e.Batches[0].Count != 3 || e.Batches[0].End != 20_000 {
		t.Errorf("%+v", e.Batches)
	}
}

func BenchmarkShareFold(b *testing.B) {
	key, update := unhex(updateKey), unhex(updateValue)
	snapshotKey, snapshot := unhex(snapshotKey), unhex(snapshotValue)
	b.ReportAllocs()
	for b.Loop() {
		var f ShareFold
		f.Apply(snapshotKey, snapshot)
		for range 500 { // as many as one snapshot takes
			f.Apply(key, update)
		}
		for _, s := range f.All() {
			if s.DeliveryComplete != 5 {
				b.Fatal(s)
			}
		}
	}
}
