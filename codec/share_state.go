package codec

import "math"

// ShareKey names one share partition in __share_group_state (KIP-932).
type ShareKey struct {
	Group     string
	TopicID   [16]byte
	Partition int32
}

// ShareState is the persisted state of one share partition: what a
// ShareSnapshot and the ShareUpdates after it amount to, and what a
// ReadShareGroupState response holds.
type ShareState struct {
	// SnapshotEpoch counts the snapshots, StateEpoch the (re)initialisations,
	// and LeaderEpoch is that of the partition leader that wrote last.
	SnapshotEpoch, StateEpoch, LeaderEpoch int32
	// StartOffset is the first offset that the group still cares about; -1:
	// not initialised, see [ShareState.Initialized].
	StartOffset int64
	// DeliveryComplete is the number of finished offsets at or above
	// StartOffset (KIP-1226); -1: not known.
	DeliveryComplete int32
	// Batches are the records' states. A fold yields them sorted, disjoint
	// and joined; other sources may not, and every method copes with that.
	Batches []Delivery
	// Err is why the state can not be relied on: a record after the last
	// snapshot could not be read. nil when all is well.
	Err error
}

// Initialized reports whether the share partition has a start offset. Without
// one nothing was ever delivered: the group's share.auto.offset.reset will
// choose where it starts.
func (s ShareState) Initialized() bool { return s.StartOffset >= 0 }

// State is the meaning of s in the common model. Below the start offset all is
// finished; above it an offset is when its record is acknowledged or archived.
// Delivery covers [StartOffset, end of the last batch) without holes: offsets
// that no batch covers are Unknown, with count 0. The state of a share
// partition that is not initialised is the zero State.
func (s ShareState) State() State {
	if !s.Initialized() {
		return State{}
	}
	batches := cutBelow(combine(s.Batches), s.StartOffset)
	terminal := NewRanges(rangesWhere(batches, DeliveryState.Terminal)...)
	state := completedFrom(s.StartOffset, terminal)
	state.Delivery = fillUnknown(batches, s.StartOffset)
	return state
}

// Rejected is the offsets whose records are archived: rejected by a consumer,
// given up at the delivery limit, or moved out of the log before they were
// handled. The state does not say which.
func Rejected(s State) Ranges {
	return NewRanges(rangesWhere(s.Delivery, func(d DeliveryState) bool { return d == Archived })...)
}

// rangesWhere is the ranges whose state is wanted.
func rangesWhere(batches []Delivery, want func(DeliveryState) bool) []Range {
	var rs []Range
	for _, b := range batches {
		if want(b.State) {
			rs = append(rs, b.Range)
		}
	}
	return rs
}

// fillUnknown puts Unknown where sorted batches leave offsets from start on
// uncovered.
func fillUnknown(batches []Delivery, start int64) []Delivery {
	var out []Delivery
	for _, b := range batches {
		if b.Start > start {
			out = append(out, Delivery{Range: Range{start, b.Start}, State: Unknown})
		}
		out = append(out, b)
		start = b.End
	}
	return out
}

// Anomalies are what a partition leader would not accept of s: it refuses to
// load a state with a batch below the start offset, and the share partition
// then stays failed.
func (s ShareState) Anomalies() []Anomaly {
	first := int64(math.MaxInt64)
	for _, b := range s.Batches {
		first = min(first, b.Start)
	}
	if first >= s.StartOffset {
		return nil
	}
	return []Anomaly{{"below-start", "a batch starts below the start offset: the partition leader will refuse to load this state, and no record will be delivered"}}
}
