package codec

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
)

// ShareFold replays the records of __share_group_state into states, as the
// share coordinator does (ShareCoordinatorShard.replay). The zero value is
// ready. Feed it each partition of the topic from its start, in log order;
// partitions may be interleaved, for a share partition lives in one of them.
type ShareFold struct {
	states map[ShareKey]*shareEntry
}

// shareEntry is one state that is being replayed. Updates are collected and
// combined now and then, so that a long run of small updates to a large state
// costs their number and not their number times its size.
type shareEntry struct {
	ShareState
	// settled is how many of the Batches are combined already, and cut is
	// what the others wait to be cut at.
	settled int
	cut     int64
}

// Apply takes the next record; value nil is a tombstone. An error leaves the
// fold usable: when the key can be read, its state carries the error in Err
// until the next snapshot or tombstone.
func (f *ShareFold) Apply(key, value []byte) error {
	r, err := DecodeShareRecord(key, value)
	if f.states == nil {
		f.states = map[ShareKey]*shareEntry{}
	}
	switch {
	case err != nil && r.Kind == "":
		return err
	case err != nil:
		f.entry(r.Key).Err = err
	case r.Tombstone && r.Kind == ShareSnapshot:
		delete(f.states, r.Key)
	case r.Tombstone:
		// Only snapshots are ever deleted; the coordinator ignores this too.
	case r.Kind == ShareSnapshot || f.states[r.Key] == nil:
		f.states[r.Key] = &shareEntry{ShareState: r.state()}
	default:
		f.states[r.Key].update(r)
	}
	return err
}

// entry is the state of key, made when there is none.
func (f *ShareFold) entry(key ShareKey) *shareEntry {
	e := f.states[key]
	if e == nil {
		e = &shareEntry{ShareState: ShareState{StartOffset: -1, DeliveryComplete: -1}}
		f.states[key] = e
	}
	return e
}

// update amends the state by a ShareUpdate.
func (e *shareEntry) update(r ShareRecord) {
	if r.LeaderEpoch >= 0 {
		e.LeaderEpoch = r.LeaderEpoch
	}
	start := e.StartOffset
	if r.StartOffset >= 0 {
		start = r.StartOffset
	}
	if start < e.cut {
		e.settle() // what came before is cut at the higher start it came under
		e.cut = 0
	}
	e.cut = max(e.cut, start)
	e.StartOffset = start
	e.DeliveryComplete = r.DeliveryComplete
	e.Batches = append(e.Batches, r.Batches...)
	if len(e.Batches) > 2*e.settled+64 {
		e.settle()
	}
}

func (e *shareEntry) settle() {
	e.Batches = cutBelow(combine(e.Batches), e.cut)
	e.settled = len(e.Batches)
}

// All yields every share partition with a state, sorted by group, topic ID and
// partition.
func (f *ShareFold) All() iter.Seq2[ShareKey, ShareState] {
	return func(yield func(ShareKey, ShareState) bool) {
		for _, key := range slices.SortedFunc(maps.Keys(f.states), compareShareKey) {
			e := f.states[key]
			e.settle()
			s := e.ShareState
			s.Batches = slices.Clone(s.Batches)
			if !yield(key, s) {
				return
			}
		}
	}
}

func compareShareKey(a, b ShareKey) int {
	return cmp.Or(
		cmp.Compare(a.Group, b.Group),
		bytes.Compare(a.TopicID[:], b.TopicID[:]),
		cmp.Compare(a.Partition, b.Partition),
	)
}
