package codec

import (
	"testing"

	"pgregory.net/rapid"
)

// anyState draws states that may break every rule.
func anyState() *rapid.Generator[State] {
	return rapid.Custom(func(t *rapid.T) State {
		return State{
			Stable: rapid.Int64Range(-2, universe+2).Draw(t, "stable"),
			Max:    rapid.Int64Range(-2, universe+2).Draw(t, "max"),
			Gaps:   NewRanges(anyRanges().Draw(t, "gaps")...),
		}
	})
}

// canonicalState draws states that obey every rule.
func canonicalState() *rapid.Generator[State] {
	return rapid.Map(anyState(), State.Normalize)
}

func TestNormalizeKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyState().Draw(t, "state")
		n := s.Normalize()
		if err := n.Check(); err != nil {
			t.Fatalf("Normalize(%+v) = %+v: %v", s, n, err)
		}
		for offset := int64(0); offset < universe+4; offset++ {
			if n.Completed(offset) != s.Completed(offset) {
				t.Fatalf("offset %d: Normalize(%+v) = %+v says %t", offset, s, n, n.Completed(offset))
			}
		}
		if !n.Normalize().Equal(n) {
			t.Fatalf("Normalize(%+v) is not stable: %+v", n, n.Normalize())
		}
		if s.Check() == nil && !s.Equal(n) {
			t.Fatalf("canonical %+v was changed to %+v", s, n)
		}
	})
}

// TestCompletedFrom: what is committed is exactly what was listed.
func TestCompletedFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(0, universe).Draw(t, "start")
		done := NewRanges(anyRanges().Draw(t, "done")...).Clip(Range{start, universe})
		s := completedFrom(start, done)
		if err := s.Check(); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		for offset := range int64(universe + 1) {
			if want := offset < start || done.Contains(offset); s.Completed(offset) != want {
				t.Fatalf("offset %d of %+v: committed is %t", offset, s, !want)
			}
		}
	})
}

// TestCompletedOfBrokenStates: when a state contradicts itself, outstanding
// wins, for an offset too many is repeated and an offset too few is lost.
func TestCompletedOfBrokenStates(t *testing.T) {
	gap := NewRanges(Range{3, 5})
	for _, c := range []struct {
		state     State
		completed string
	}{
		{State{Stable: 3, Max: 7, Gaps: gap}, "0-2,5-6"},
		{State{Stable: 5, Max: 7, Gaps: gap}, "0-2,5-6"},
		{State{Stable: 7, Max: 2, Gaps: gap}, "0-2,5-6"},
		{State{Stable: 2, Max: 4, Gaps: gap}, "0-2"},
		{State{Stable: 0, Max: 2, Gaps: gap}, "0-1"},
	} {
		var got []Range
		for offset := range int64(10) {
			if c.state.Completed(offset) {
				got = append(got, Range{offset, offset + 1})
			}
		}
		if text := NewRanges(got...).String(); text != c.completed {
			t.Errorf("%+v: completed %s, want %s", c.state, text, c.completed)
		}
	}
}

func TestCheckNamesTheRule(t *testing.T) {
	for _, c := range []struct {
		name  string
		state State
		want  string
	}{
		{"complete", Complete(7), ""},
		{"gaps", State{Stable: 3, Max: 9, Gaps: mustRanges("3-5,7")}, ""},
		{"negative", State{Stable: -1, Max: 9}, "stable offset -1 is negative"},
		{"max below", State{Stable: 9, Max: 3}, "max offset 3 is below the stable offset 9"},
		{"no gaps", State{Stable: 3, Max: 9}, "no gaps, but the stable offset 3 is not the max offset 9"},
		{"gap below", State{Stable: 5, Max: 9, Gaps: mustRanges("3-5")}, "a gap starts at 3, below the stable offset 5"},
		{"stable done", State{Stable: 2, Max: 9, Gaps: mustRanges("3-5")}, "the stable offset 2 is committed: the first gap starts at 3"},
		{"gap beyond", State{Stable: 3, Max: 9, Gaps: mustRanges("3-9")}, "a gap ends at 10, beyond the max offset 9"},
		{"gap at end", State{Stable: 3, Max: 9, Gaps: mustRanges("3-8")}, "the last gap reaches the max offset, so nothing is committed there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := c.state.Check(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("Check = %q, want %q", got, c.want)
			}
		})
	}
}

func TestStateEqual(t *testing.T) {
	base := State{Stable: 3, Max: 9, Gaps: NewRanges(Range{3, 6}), Delivery: []Delivery{{Range{3, 6}, Available, 1}}}
	if !base.Equal(base) {
		t.Fatal("a state differs from itself")
	}
	for name, change := range map[string]func(*State){
		"stable":   func(s *State) { s.Stable++ },
		"max":      func(s *State) { s.Max++ },
		"gaps":     func(s *State) { s.Gaps = NewRanges(Range{3, 7}) },
		"shorter":  func(s *State) { s.Delivery = nil },
		"delivery": func(s *State) { s.Delivery = []Delivery{{Range{3, 6}, Available, 2}} },
	} {
		other := base
		change(&other)
		if base.Equal(other) || other.Equal(base) {
			t.Errorf("%s: states that differ are equal", name)
		}
	}
	if base.Outstanding() != 3 {
		t.Errorf("Outstanding = %d", base.Outstanding())
	}
}
