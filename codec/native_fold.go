package codec

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"
)

// NativeFold replays the records of [NativeTopic]. The zero value is ready.
// Feed it each partition of the topic from its start, in log order and
// read-committed, so that a commit is seen whole or not at all.
type NativeFold struct {
	slots map[NativeID]*NativeSlot
}

// NativeEntry is the slots that share one partition of one topic in one group.
type NativeEntry struct {
	Group     string
	TopicID   [16]byte
	Partition int32
	Slots     []*NativeSlot // ascending; never empty
}

// Apply takes the next record; a nil value is a tombstone. Key and value are
// not retained. The error is an [*Error] about a key that can't be read; the
// record is left out, and the fold stays usable. Values are judged by
// [NativeSlot.Read]: a later record may replace a bad one.
func (f *NativeFold) Apply(key, value []byte) error {
	k, err := parseNativeKey(key)
	if err != nil {
		return err
	}
	s := f.slots[k.NativeID]
	if s == nil {
		if value == nil {
			return nil
		}
		if f.slots == nil {
			f.slots = map[NativeID]*NativeSlot{}
		}
		s = &NativeSlot{NativeID: k.NativeID, chunks: map[int64][]byte{}}
		f.slots[k.NativeID] = s
	}
	if s.news != nil && k.kind == nativeChunk {
		s.news.note(k.window, s.chunks[k.window])
	}
	switch {
	case k.kind == nativeHead:
		s.head = bytes.Clone(value)
	case value == nil:
		delete(s.chunks, k.window)
	default:
		s.chunks[k.window] = bytes.Clone(value)
	}
	if s.head == nil && len(s.chunks) == 0 {
		delete(f.slots, k.NativeID)
	}
	return nil
}

// Slot is the slot with that name; nil where there is none.
func (f *NativeFold) Slot(id NativeID) *NativeSlot { return f.slots[id] }

// All yields what the records say, sorted by group, topic ID and partition.
func (f *NativeFold) All() iter.Seq[NativeEntry] {
	return func(yield func(NativeEntry) bool) {
		slots := slices.SortedFunc(maps.Values(f.slots), compareSlots)
		for len(slots) > 0 {
			n := 1
			for n < len(slots) && slots[n].samePartition(slots[0]) {
				n++
			}
			first := slots[0]
			if !yield(NativeEntry{first.Group, first.TopicID, first.Partition, slots[:n:n]}) {
				return
			}
			slots = slots[n:]
		}
	}
}

func compareSlots(a, b *NativeSlot) int {
	return cmp.Or(
		cmp.Compare(a.Group, b.Group),
		bytes.Compare(a.TopicID[:], b.TopicID[:]),
		cmp.Compare(a.Partition, b.Partition),
		cmp.Compare(a.Slot, b.Slot),
	)
}

func (s *NativeSlot) samePartition(t *NativeSlot) bool {
	return s.Group == t.Group && s.TopicID == t.TopicID && s.Partition == t.Partition
}

// State is the union of the slots (see [UnionSlots]). The error joins those of
// the slots that [NativeSlot.Read] gives one for. They are left out of the
// union: then more seems outstanding than is, never less.
func (e NativeEntry) State() (State, error) {
	var states []State
	var errs []error
	for _, s := range e.Slots {
		r, err := s.Read()
		errs = append(errs, err)
		if err == nil {
			states = append(states, r.State)
		}
	}
	return UnionSlots(states...), errors.Join(errs...)
}

// Committed is Kafka's committed offset as it was set with the gaps: the stable
// offset of slot 0, whose writer sets both at once. With other slots beside it,
// the union may have come further. ok is false where there is no slot 0.
func (e NativeEntry) Committed() (offset int64, ok bool) {
	if len(e.Slots) == 0 || e.Slots[0].Slot != 0 || e.Slots[0].head == nil {
		return 0, false
	}
	head, err := parseNativeHead(e.Slots[0].head)
	return head.Stable, err == nil
}

// UnionSlots is the canonical state in which an offset is committed when any
// of states has it committed. Without states nothing is committed.
func UnionSlots(states ...State) State {
	union := State{}
	for _, s := range states {
		union.Max = max(union.Max, s.Max)
	}
	open := Ranges{}
	for i, s := range states {
		// To this slot, what lies at or above its own max is not committed.
		mine := s.Gaps.Union(NewRanges(Range{max(s.Stable, s.Max), union.Max}))
		if i == 0 {
			open = mine
		} else {
			open = open.Intersect(mine)
		}
	}
	union.Gaps = open
	return union.Normalize()
}
