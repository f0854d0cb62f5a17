package inspect

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// drawPartition draws a small partition with a canonical state, and a log that
// may lie anywhere beside it.
func drawPartition(t *rapid.T) *Partition {
	done := rapid.SliceOfN(rapid.Bool(), 0, 20).Draw(t, "done")
	base := rapid.Int64Range(0, 5).Draw(t, "base")
	state := codec.Complete(base)
	if last := lastTrue(done); last >= 0 {
		var gaps []codec.Range
		for i, d := range done[:last] {
			if !d {
				gaps = append(gaps, codec.Range{Start: base + int64(i), End: base + int64(i) + 1})
			}
		}
		state = codec.State{Stable: base, Max: base + int64(last) + 1, Gaps: codec.NewRanges(gaps...)}.Normalize()
	}
	start := rapid.Int64Range(0, 30).Draw(t, "log start")
	end := rapid.Int64Range(start, 32).Draw(t, "log end")
	return &Partition{
		Entry:    &gapstore.Entry{Committed: base, State: state, ReportedLag: -1},
		LogStart: start, LogEnd: end, LastStable: end,
	}
}

func lastTrue(bs []bool) int {
	for i := len(bs) - 1; i >= 0; i-- {
		if bs[i] {
			return i
		}
	}
	return -1
}

func TestLagCountsOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPartition(t)
		var lag, trueLag int64
		var gone []codec.Range
		for offset := range int64(40) {
			held := p.LogStart <= offset && offset < p.LogEnd
			if held && offset >= p.State.Stable {
				lag++
			}
			if held && !p.State.Completed(offset) {
				trueLag++
			}
			if offset < p.LogStart && offset < p.State.Max && !p.State.Completed(offset) {
				gone = append(gone, codec.Range{Start: offset, End: offset + 1})
			}
		}
		if p.Lag() != lag || p.TrueLag() != trueLag {
			t.Errorf("lag %d, true lag %d; counted %d, %d", p.Lag(), p.TrueLag(), lag, trueLag)
		}
		if !p.Lost().Equal(codec.NewRanges(gone...)) {
			t.Errorf("lost %v, counted %v", p.Lost(), codec.NewRanges(gone...))
		}
	})
}

func TestLagUnknown(t *testing.T) {
	state := codec.Complete(5)
	broken := &codec.Error{Class: codec.ErrCorrupt, Position: -1}
	down := &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "find the leader"}
	for name, p := range map[string]Partition{
		"undecodable":     {Entry: &gapstore.Entry{Committed: 5, Err: broken}, LogStart: 0, LogEnd: 9},
		"no commit":       {Entry: &gapstore.Entry{Committed: -1}, LogStart: 0, LogEnd: 9},
		"no leader":       {Entry: &gapstore.Entry{Committed: 5, State: state, Err: down}, LogStart: -1, LogEnd: -1},
		"no such topic":   {Entry: &gapstore.Entry{Committed: 5, State: state}, LogStart: -1, LogEnd: -1},
		"start not known": {Entry: &gapstore.Entry{Committed: 5, State: state, Err: down}, LogStart: -1, LogEnd: 9},
	} {
		if p.Lag() != -1 || p.TrueLag() != -1 {
			t.Errorf("%s: lag %d, true lag %d; want -1, not known", name, p.Lag(), p.TrueLag())
		}
	}
}

func TestTrueLagAsReportedWhereStateIsHidden(t *testing.T) {
	p := Partition{
		Entry:    &gapstore.Entry{Committed: 3, State: codec.Complete(3), Home: gapstore.HomeShareState, ReportedLag: 4},
		LogStart: 0, LogEnd: 20,
	}
	if p.Lag() != 17 || p.TrueLag() != 4 {
		t.Errorf("lag %d, true lag %d; want 17 and the reported 4", p.Lag(), p.TrueLag())
	}
	p.Encoding = "read-state"
	if p.TrueLag() != 17 {
		t.Errorf("true lag %d although the state is known; want 17", p.TrueLag())
	}
}

// Without the right to read the states of a share group's records, what is
// outstanding is not known: it must not look like nothing.
func TestShareStartOnly(t *testing.T) {
	p := Partition{Entry: &gapstore.Entry{
		Home: gapstore.HomeShareState, Format: "share-group", Committed: 40, State: codec.Complete(40), ReportedLag: 17,
	}, LogStart: 10, LogEnd: 60, LastStable: 60}
	g := Group{Type: "share", Partitions: []Partition{p}}
	if g.Sums().Outstanding != unknown || g.Sums().GapCount != unknown || p.HasState() {
		t.Errorf("outstanding %d in %d gaps, state known: %v; want none of it known", g.Sums().Outstanding, g.Sums().GapCount, p.HasState())
	}
	if p.Lag() != 20 || p.TrueLag() != 17 {
		t.Errorf("lag %d, true lag %d; want 20 from the start offset, and the 17 that the cluster reports", p.Lag(), p.TrueLag())
	}
}
