package codec

import "math/rand/v2"

// patternStates are states whose order Parallel Consumer's zstd encodings see;
// the same each time.
func patternStates() map[string]State {
	p := patterns{rand.New(rand.NewPCG(1, 2))}
	repeated := p.repeated()
	states := map[string][]Range{
		"alternating":             every(4000, 2, 1),
		"alternating long":        every(60000, 2, 1),
		"every third":             every(30000, 3, 1),
		"two of three":            every(30000, 3, 2),
		"every 37th":              every(60000, 37, 1),
		"every 1000th":            every(60000, 1000, 1),
		"batches":                 every(60000, 500, 250),
		"alternating, 1% done":    p.except(every(50000, 2, 1), 0.01),
		"every third, 5% done":    p.except(every(30000, 3, 1), 0.05),
		"every 10th, 30% done":    p.except(every(30000, 10, 1), 0.30),
		"two lengths":             p.draw(1000, p.pick(1, 50)),
		"three lengths":           p.draw(2000, p.pick(3, 8, 20)),
		"bytes":                   p.draw(2000, func() int64 { return 8 * (1 + p.Int64N(2)) }),
		"repeated random block":   repeated,
		"two patterns":            append(every(20000, 2, 1), shift(every(20000, 7, 3), 20001)...),
		"ramp":                    ramp(200),
		"stuck one, late cluster": append([]Range{{0, 1}}, shift(p.draw(400, p.pick(1, 2, 3)), 60000)...),
		"one gap":                 {{0, 40000}},
		"one offset":              {{0, 1}},
	}
	out := map[string]State{}
	for name, rs := range states {
		gaps := NewRanges(shift(rs, 1<<20)...)
		out[name] = State{Stable: 1 << 20, Max: gaps.Bounds().End + 1, Gaps: gaps}.Normalize()
	}
	return out
}

// every is a gap of that length in every period of the span.
func every(span, period, gap int64) (rs []Range) {
	for at := int64(0); at+period < span; at += period {
		rs = append(rs, Range{at, at + gap})
	}
	return rs
}

// ramp is gaps of 1, 2, 3 … n offsets, one apart.
func ramp(n int64) (rs []Range) {
	for i, at := int64(0), int64(0); i < n; i++ {
		rs = append(rs, Range{at, at + 1 + i})
		at += 2 + i
	}
	return rs
}

// shift moves rs, in place.
func shift(rs []Range, by int64) []Range {
	for i := range rs {
		rs[i].Start += by
		rs[i].End += by
	}
	return rs
}

// patterns are those with chance in them.
type patterns struct{ *rand.Rand }

// repeated is a block of 100 random gaps, 40 times.
func (p patterns) repeated() (rs []Range) {
	block := p.draw(100, func() int64 { return 1 + p.Int64N(9) })
	length := block[len(block)-1].End + 3
	for i := range int64(40) {
		for _, r := range block {
			rs = append(rs, Range{r.Start + i*length, r.End + i*length})
		}
	}
	return rs
}

// except is rs without a share of them.
func (p patterns) except(rs []Range, share float64) (out []Range) {
	for _, r := range rs {
		if p.Float64() > share {
			out = append(out, r)
		}
	}
	return out
}

// draw is n gaps; their lengths, and those of what is between, are drawn.
func (p patterns) draw(n int, length func() int64) (rs []Range) {
	at := int64(0)
	for range n {
		gap := length()
		rs = append(rs, Range{at, at + gap})
		at += gap + length()
	}
	return rs
}

func (p patterns) pick(choices ...int64) func() int64 {
	return func() int64 { return choices[p.IntN(len(choices))] }
}
