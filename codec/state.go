package codec

import (
	"errors"
	"fmt"
)

// State is what a commit says about one partition, whatever the format.
//
// A state is canonical when 0 <= Stable <= Max; the gaps lie in [Stable,Max);
// there are no gaps exactly when Stable == Max; the first gap starts at
// Stable; and the last ends before Max. Decoders only ask for well-formed
// bytes, so a decoded state may break these rules: [State.Check] names the
// rule broken, and [State.Normalize] restores them.
type State struct {
	// Stable is the next offset to commit: every offset below it is committed.
	Stable int64
	// Max is one past the furthest committed offset (exclusive).
	Max int64
	// Gaps are the offsets in [Stable,Max) that are not committed.
	Gaps Ranges
	// Delivery is the delivery state per range, sorted; share groups only.
	Delivery []Delivery
}

// Complete is the state without gaps whose next offset is offset.
func Complete(offset int64) State { return State{Stable: offset, Max: offset} }

// completedFrom is the state in which every offset below start is committed,
// and at or above start exactly those in done.
func completedFrom(start int64, done Ranges) State {
	s := Complete(start)
	if first := done.First(); first.Start == start && !first.Empty() {
		s.Stable = first.End
	}
	s.Max = max(s.Stable, done.Bounds().End)
	s.Gaps = NewRanges(Range{s.Stable, s.Max}).Sub(done)
	return s
}

// Outstanding is the number of offsets in gaps, as recorded.
func (s State) Outstanding() int64 { return s.Gaps.Count() }

// Completed reports whether offset is committed: it lies below Stable or below
// Max, and in no gap.
func (s State) Completed(offset int64) bool {
	return offset < max(s.Stable, s.Max) && !s.Gaps.Contains(offset)
}

// completedAbove are the committed offsets at or above start.
func (s State) completedAbove(start int64) Ranges {
	return NewRanges(Range{start, s.Max}).Sub(s.Gaps)
}

// Equal reports whether s and t say the same of every offset, and agree on
// stable, max and delivery.
func (s State) Equal(t State) bool {
	if s.Stable != t.Stable || s.Max != t.Max || !s.Gaps.Equal(t.Gaps) || len(s.Delivery) != len(t.Delivery) {
		return false
	}
	for i := range s.Delivery {
		if s.Delivery[i] != t.Delivery[i] {
			return false
		}
	}
	return true
}

// Check is nil when s is canonical, and otherwise names the rule it breaks.
func (s State) Check() error {
	bounds := s.Gaps.Bounds()
	switch {
	case s.Stable < 0:
		return fmt.Errorf("stable offset %d is negative", s.Stable)
	case s.Max < s.Stable:
		return fmt.Errorf("max offset %d is below the stable offset %d", s.Max, s.Stable)
	case s.Gaps.Empty() && s.Stable != s.Max:
		return fmt.Errorf("no gaps, but the stable offset %d is not the max offset %d", s.Stable, s.Max)
	case s.Gaps.Empty():
		return nil
	case bounds.Start < s.Stable:
		return fmt.Errorf("a gap starts at %d, below the stable offset %d", bounds.Start, s.Stable)
	case bounds.Start > s.Stable:
		return fmt.Errorf("the stable offset %d is committed: the first gap starts at %d", s.Stable, bounds.Start)
	case bounds.End > s.Max:
		return fmt.Errorf("a gap ends at %d, beyond the max offset %d", bounds.End, s.Max)
	case bounds.End == s.Max:
		return errors.New("the last gap reaches the max offset, so nothing is committed there")
	}
	return nil
}

// Normalize is the canonical state that says the same of every offset. Gaps
// below Stable stay outstanding (Stable moves down to them); an offset at or
// above Max is not committed, so a gap at the end only lowers Max.
func (s State) Normalize() State {
	s.Max = max(0, s.Stable, s.Max)
	s.Gaps = s.Gaps.Clip(Range{0, s.Max})
	if bounds := s.Gaps.Bounds(); !bounds.Empty() && bounds.End == s.Max {
		s.Max = s.Gaps.last().Start
		s.Gaps = s.Gaps.Clip(Range{0, s.Max})
	}
	s.Stable = s.Max
	if !s.Gaps.Empty() {
		s.Stable = s.Gaps.First().Start
	}
	return s
}
