package bench

import (
	"math"
	"math/rand/v2"

	"github.com/gapctl/gapctl/codec"
)

// shape is how gaps lie. Its state has the outstanding offsets [0,span) less
// the last, and the first of them is outstanding.
type shape struct {
	name string
	gaps func(span int64, random *rand.Rand) []codec.Range
}

var oneGap = shape{"one gap", func(int64, *rand.Rand) []codec.Range { return []codec.Range{{Start: 0, End: 1}} }}

// shapes are what a group's gaps look like: a record that hangs, failures here
// and there, workers by key, and batches that were lost as a whole.
var shapes = []shape{
	oneGap,
	{"1 in 1,000", oneIn(1000)}, {"1 in 10", oneIn(10)}, {"half", oneIn(2)},
	{"alternating", func(span int64, _ *rand.Rand) (gaps []codec.Range) {
		for at := int64(0); at < span-1; at += 2 {
			gaps = append(gaps, codec.Range{Start: at, End: at + 1})
		}
		return gaps
	}},
	{"bursts", func(span int64, random *rand.Rand) (gaps []codec.Range) {
		for at := int64(0); at < span-100; at += 1 + random.Int64N(400) {
			gaps = append(gaps, codec.Range{Start: at, End: at + 1 + random.Int64N(100)})
			at = gaps[len(gaps)-1].End
		}
		return gaps
	}},
}

// oneIn has each offset outstanding at random, one in n.
func oneIn(n float64) func(int64, *rand.Rand) []codec.Range {
	return func(span int64, random *rand.Rand) []codec.Range {
		gaps := []codec.Range{{Start: 0, End: 1}}
		for at := int64(1); ; at++ {
			at += int64(math.Log(1-random.Float64()) / math.Log(1-1/n)) // as many that are done
			switch last := &gaps[len(gaps)-1]; {
			case at >= span-1:
				return gaps
			case last.End == at:
				last.End++
			default:
				gaps = append(gaps, codec.Range{Start: at, End: at + 1})
			}
		}
	}
}

// over is the shape's state over a span, the same each time.
func (s shape) over(span int64) codec.State {
	gaps := s.gaps(span, rand.New(rand.NewPCG(42, uint64(span))))
	return codec.State{Max: span, Gaps: codec.NewRanges(gaps...)}.Normalize()
}

// leastBytes is log2 of the number of ways in which as many offsets of the span
// can be outstanding, in bytes: no code takes less for all of them. For those
// that lie regularly, one may.
func leastBytes(s codec.State) float64 {
	choose := func(n, k float64) float64 {
		all, _ := math.Lgamma(n + 1)
		chosen, _ := math.Lgamma(k + 1)
		rest, _ := math.Lgamma(n - k + 1)
		return all - chosen - rest
	}
	return choose(float64(s.Max), float64(s.Outstanding())) / math.Ln2 / 8
}
