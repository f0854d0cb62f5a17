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
	// Stretches begin and end at the borders of windows now and then: one that
	// covers whole windows has no chunks for them, until it is cut.
	offset := rapid.OneOf(rapid.Int64Range(0, 400_000), rapid.Map(rapid.Int64Range(0, 6), func(n int64) int64 { return n * codec.NativeWindow }))
	width := rapid.OneOf(rapid.Int64Range(1, 200_000), rapid.Int64Range(1, 2))
	rapid.Check(t, func(t *rapid.T) {
		var gaps []codec.Range
		for range rapid.IntRange(1, 10).Draw(t, "gaps") { // over several windows of 65,536
			start := offset.Draw(t, "start")
			gaps = append(gaps, codec.Range{Start: start, End: start + width.Draw(t, "length")})
		}
		state := codec.State{Max: 700_000, Gaps: codec.NewRanges(gaps...)}.Normalize()
		c := written(t, state)
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			start := offset.Draw(t, "cut")
			cut := codec.NewRanges(codec.Range{Start: start, End: start + width.Draw(t, "width")})
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
