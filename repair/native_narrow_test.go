package repair

import (
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"pgregory.net/rapid"
)

// A native commit that is narrowed, cut by cut, is byte for byte what is
// written anew.
func TestNarrowedIsWrittenAnew(t *testing.T) {
	id := codec.NativeID{Group: "billing", TopicID: [16]byte{7}, Partition: 2}
	at := time.UnixMilli(1_770_000_000_000)
	written := func(t *rapid.T, s codec.State) Commit {
		c, err := (Commit{Offset: s.Stable, LeaderEpoch: -1, Format: nativeFormat, State: s}).written(id, at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	rapid.Check(t, func(t *rapid.T) {
		var gaps []codec.Range
		for range rapid.IntRange(1, 30).Draw(t, "gaps") { // over several windows of 65,536
			start := rapid.Int64Range(0, 400_000).Draw(t, "start")
			gaps = append(gaps, codec.Range{Start: start, End: start + rapid.Int64Range(1, 70_000).Draw(t, "length")})
		}
		state := codec.State{Max: 500_000, Gaps: codec.NewRanges(gaps...)}.Normalize()
		c := written(t, state)
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			start := rapid.Int64Range(0, 400_000).Draw(t, "cut")
			cut := codec.NewRanges(codec.Range{Start: start, End: start + rapid.Int64Range(1, 200_000).Draw(t, "width")})
			state.Gaps = state.Gaps.Sub(cut)
			state = state.Normalize()
			narrowed, err := c.narrowed(id, state, at)
			if err != nil {
				t.Fatal(err)
			}
			if want := written(t, state); !narrowed.same(want) || !narrowed.State.Equal(want.State) {
				t.Fatalf("narrowed to %v, written anew %v", narrowed, want)
			}
			c = narrowed
		}
	})
}
