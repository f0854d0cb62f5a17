package codec

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// log2Choose is log2 of the number of ways to choose k of n.
func log2Choose(n, k float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return (lg(n) - lg(k) - lg(n-k)) / math.Ln2
}

// TestNativeSizeRandom: random offsets of any density take at most 1.10 times
// what information theory demands, and 160 bytes for each record.
func TestNativeSizeRandom(t *testing.T) {
	for i, density := range []float64{0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.38, 0.5, 0.62, 0.7, 0.9, 0.97, 0.999, 0.9999} {
		s := randomGaps(2_000_000, density, uint64(i))
		records := mustEncode(t, NativeCommit{NativeID: testID, State: s})
		bound := log2Choose(float64(s.Max-s.Stable), float64(s.Outstanding())) / 8
		size := float64(recordBytes(records))
		t.Logf("density %g: %.0f bytes, bound %.0f, ratio %.3f, values alone %.3f", density, size, bound, size/bound, float64(valueBytes(records))/bound)
		if size > 1.10*bound+160*float64(len(records)) {
			t.Errorf("density %g: %.0f bytes in %d records, the bound is %.0f", density, size, len(records), bound)
		}
	}
}

func valueBytes(records []Record) (n int) {
	for _, r := range records {
		n += len(r.Value)
	}
	return n
}

// chunkBytes is the size of the chunks' values, without the head.
func chunkBytes(records []Record) int {
	return valueBytes(records) - len(records[len(records)-1].Value)
}

// TestNativeSizeGolden: on the states that Parallel Consumer's own encoder has
// written, the chunks are never larger than its smallest metadata.
func TestNativeSizeGolden(t *testing.T) {
	states := map[string]State{}
	best := map[string]int{}
	for _, g := range readPCGolden(t) {
		s := State{Stable: g.Committed, Max: g.Highest + 1, Gaps: rangesOf(g.Gaps)}.Normalize()
		key := fmt.Sprint(s)
		states[key] = s
		if old, ok := best[key]; !ok || len(g.Metadata) < old {
			best[key] = len(g.Metadata)
		}
	}
	if len(states) < 50 {
		t.Fatalf("only %d states", len(states))
	}
	for key, s := range states {
		if got := chunkBytes(mustEncode(t, NativeCommit{NativeID: testID, State: s})); got > best[key] {
			t.Errorf("%d bytes, Parallel Consumer %d: stable %d max %d, %d gaps", got, best[key], s.Stable, s.Max, s.Gaps.Len())
		}
	}
}

// patternStates are states whose order Parallel Consumer's zstd encodings see.
func patternStates() map[string]State {
	rng := rand.New(rand.NewPCG(1, 2))
	every := func(span, period, gap int64) (rs []Range) {
		for at := int64(0); at+period < span; at += period {
			rs = append(rs, Range{at, at + gap})
		}
		return rs
	}
	except := func(rs []Range, share float64) (out []Range) {
		for _, r := range rs {
			if rng.Float64() > share {
				out = append(out, r)
			}
		}
		return out
	}
	draw := func(n int, length func() int64) (rs []Range) {
		at := int64(0)
		for range n {
			gap := length()
			rs = append(rs, Range{at, at + gap})
			at += gap + length()
		}
		return rs
	}
	pick := func(choices ...int64) func() int64 {
		return func() int64 { return choices[rng.IntN(len(choices))] }
	}
	block := draw(100, func() int64 { return 1 + rng.Int64N(9) })
	length := block[len(block)-1].End + 3
	var repeated, twoParts, ramp []Range
	for i := range int64(40) {
		for _, r := range block {
			repeated = append(repeated, Range{r.Start + i*length, r.End + i*length})
		}
	}
	twoParts = append(twoParts, every(20000, 2, 1)...)
	for _, r := range every(20000, 7, 3) {
		twoParts = append(twoParts, Range{r.Start + 20001, r.End + 20001})
	}
	for i, at := int64(0), int64(0); i < 200; i++ {
		ramp = append(ramp, Range{at, at + 1 + i})
		at += 2 + i
	}
	states := map[string][]Range{
		"alternating":             every(4000, 2, 1),
		"alternating long":        every(60000, 2, 1),
		"every third":             every(30000, 3, 1),
		"two of three":            every(30000, 3, 2),
		"every 37th":              every(60000, 37, 1),
		"every 1000th":            every(60000, 1000, 1),
		"batches":                 every(60000, 500, 250),
		"alternating, 1% done":    except(every(50000, 2, 1), 0.01),
		"every third, 5% done":    except(every(30000, 3, 1), 0.05),
		"every 10th, 30% done":    except(every(30000, 10, 1), 0.30),
		"two lengths":             draw(1000, pick(1, 50)),
		"three lengths":           draw(2000, pick(3, 8, 20)),
		"bytes":                   draw(2000, func() int64 { return 8 * (1 + rng.Int64N(2)) }),
		"repeated random block":   repeated,
		"two patterns":            twoParts,
		"ramp":                    ramp,
		"stuck one, late cluster": append([]Range{{0, 1}}, shift(draw(400, pick(1, 2, 3)), 60000)...),
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

func shift(rs []Range, by int64) []Range {
	for i := range rs {
		rs[i].Start += by
		rs[i].End += by
	}
	return rs
}

// TestNativeSizePatterns: nor are they on states with an order that
// Parallel Consumer's zstd encodings profit from.
func TestNativeSizePatterns(t *testing.T) {
	for name, s := range patternStates() {
		e, err := Smallest(parallelConsumer.Name, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		theirs := base64.RawStdEncoding.DecodedLen(len(e.Metadata))
		records := mustEncode(t, NativeCommit{NativeID: testID, State: s})
		ours := chunkBytes(records)
		r, err := DecodeNativeRecord(records[0].Key, records[0].Value)
		t.Logf("%s: %d bytes in %d chunks (%s), Parallel Consumer %d (%s)", name, ours, len(records)-1, r.Encoding, theirs, e.Encoding)
		if err != nil || ours > theirs {
			t.Errorf("%s: larger (%v)", name, err)
		}
	}
}

func recordBytes(records []Record) int {
	n := 0
	for _, r := range records {
		n += len(r.Key) + len(r.Value)
	}
	return n
}
