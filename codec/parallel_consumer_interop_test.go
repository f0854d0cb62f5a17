package codec

import (
	"math/rand/v2"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// The real Parallel Consumer reads every encoding that is written here as the
// state that went in, and the other way round.
func TestParallelConsumerInterop(t *testing.T) {
	real := kafkatest.PCCodec(t)
	written, read := 0, 0
	for _, s := range interopStates() {
		for _, e := range parallelConsumer.Encodings {
			if !e.Writable() {
				continue
			}
			out, err := Encode(s, "parallel-consumer", e.Name)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			got, err := real.Decode(out.Committed, out.Metadata)
			if err != nil || got.Highest == nil || *got.Highest+1 != s.Max || !rangesOf(got.Incompletes).Equal(s.Gaps) {
				t.Errorf("%s of %v to %d: the library reads %+v, %v", e.Name, s.Gaps, s.Max, got, err)
			}
			written++
		}
		var gaps [][2]int64
		for r := range s.Gaps.All() {
			gaps = append(gaps, [2]int64{r.Start, r.End})
		}
		theirs, err := real.Encode(s.Stable, s.Max-1, gaps)
		if err != nil {
			t.Fatal(err)
		}
		for name, metadata := range theirs.Encodings {
			d, err := Decode(metadata, s.Stable)
			if err != nil || !d.State.Equal(s) {
				t.Errorf("the library's %s of %v to %d is read as %+v, %v", name, s.Gaps, s.Max, d.State, err)
			}
			read++
		}
	}
	if written != 8*len(interopStates()) || read < 8*len(interopStates()) {
		t.Errorf("%d maps written and %d read, for %d states", written, read, len(interopStates()))
	}
}

// interopStates are states of different shapes that every encoding can hold.
func interopStates() []State {
	rng := rand.New(rand.NewPCG(3, 1415))
	var states []State
	for _, span := range []int64{2, 9, 100, 4_000, 30_000} {
		for _, density := range []float64{0.001, 0.02, 0.3, 0.5, 0.97} {
			base := rng.Int64N(1 << 40)
			gaps := []Range{{base, base + 1}}
			for o := base + 1; o < base+span-1; o++ {
				if rng.Float64() < density {
					gaps = append(gaps, Range{o, o + 1})
				}
			}
			states = append(states, State{Stable: base, Max: base + span, Gaps: NewRanges(gaps...)})
		}
	}
	return states
}
