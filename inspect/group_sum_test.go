package inspect

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

func TestGroupSums(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	gaps := codec.State{Stable: 5, Max: 9, Gaps: codec.NewRanges(codec.Range{Start: 5, End: 7})}
	g := Group{Partitions: []Partition{
		{Entry: &gapstore.Entry{Committed: 5, State: gaps, Format: "parallel-consumer"}, LogEnd: 10, OldestGapAt: at.Add(time.Hour)},
		{Entry: &gapstore.Entry{Committed: 5, State: gaps, Format: "greyhound"}, LogEnd: 12, OldestGapAt: at},
		{Entry: &gapstore.Entry{Committed: 1, State: codec.Complete(1), Format: "kafka-streams", Foreign: true}, LogEnd: 1},
		{Entry: &gapstore.Entry{Committed: 2, Err: codec.ErrUnknownFormat}, LogEnd: 9},
	}}
	g.Partitions[3].Err = &codec.Error{Class: codec.ErrUnknownFormat, Position: -1}
	if g.Sums().Outstanding != 4 || g.Sums().GapCount != 2 || g.Sums().Lag != 12 || g.Sums().TrueLag != 8 {
		t.Errorf("outstanding %d, gaps %d, lag %d, true lag %d", g.Sums().Outstanding, g.Sums().GapCount, g.Sums().Lag, g.Sums().TrueLag)
	}
	if !g.Sums().OldestGapAt.Equal(at) || !slices.Equal(g.Formats(), []string{"greyhound", "parallel-consumer"}) {
		t.Errorf("oldest gap at %v, formats %v", g.Sums().OldestGapAt, g.Formats())
	}
	if g.Level() != LevelOK {
		t.Errorf("level %s before anything was found", g.Level())
	}
	g.Partitions[0].Findings = []Finding{{Level: LevelInfo}, {Level: LevelWarn}}
	if g.Level() != LevelWarn {
		t.Errorf("level %s, want that of the worst finding", g.Level())
	}
	g.Err = errors.New("denied")
	if g.Level() != LevelError {
		t.Errorf("level %s of an unreadable group", g.Level())
	}
	if empty := (&Group{}); empty.Sums().Lag != -1 || empty.Sums().Outstanding != -1 {
		t.Error("sums over nothing are known")
	}
}
