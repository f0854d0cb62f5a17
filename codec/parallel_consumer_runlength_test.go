package codec

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Runs say the same whether they are read near or one by one, and wherever that
// changes: at a run without a length, or where a window ends.
func TestParallelConsumerRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]pcWidth{2, 4}).Draw(t, "width")
		base := rapid.Int64Range(0, 1000).Draw(t, "base")
		length := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(0, 9), rapid.Int64Range(10_000, math.MaxInt16))
		var body []byte
		var want []Range
		at := base
		for i, n := range rapid.SliceOfN(length, 0, 60).Draw(t, "runs") {
			body = width.append(body, n)
			if i%2 == 0 {
				want = append(want, Range{at, at + n})
			}
			at += n
		}
		r := &pcReading{base: base, maxGaps: math.MaxInt}
		if err := (runLength{width}).read(r, body); err != nil {
			t.Fatal(err)
		}
		var got Ranges
		if bounds := r.keep(&got); !got.Equal(NewRanges(want...)) || bounds != got.Bounds() || r.n != at-base {
			t.Fatalf("%v within %v of %d offsets, want %v of %d", got, bounds, r.n, NewRanges(want...), at-base)
		}
		if outstanding := NewRanges(want...).Count(); got.Count() != outstanding {
			t.Fatalf("%d outstanding in %v, want %d", got.Count(), got, outstanding)
		}
	})
}
