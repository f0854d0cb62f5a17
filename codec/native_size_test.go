package codec

import (
	"encoding/base64"
	"fmt"
	"math"
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
