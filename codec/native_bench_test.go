package codec

import (
	"fmt"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

var benchDensities = []float64{0.001, 0.01, 0.1, 0.3, 0.5, 0.9}

// BenchmarkNativeEncode writes a million random single-offset gaps.
func BenchmarkNativeEncode(b *testing.B) {
	for _, density := range benchDensities {
		s := millionGaps(density)
		b.Run(fmt.Sprint(density), func(b *testing.B) {
			size := 0
			for b.Loop() {
				records := mustEncode(b, NativeCommit{NativeID: testID, State: s})
				size = recordBytes(records)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// BenchmarkNativeDecode reads them back into a state.
func BenchmarkNativeDecode(b *testing.B) {
	benchmarkNativeDecode(b, func(gaps Ranges) int { return gaps.Len() })
}

// BenchmarkNativeDecodeEach reads them back and looks at each.
func BenchmarkNativeDecodeEach(b *testing.B) {
	benchmarkNativeDecode(b, func(gaps Ranges) (n int) {
		for range gaps.All() {
			n++
		}
		return n
	})
}

func benchmarkNativeDecode(b *testing.B, count func(Ranges) int) {
	for _, density := range benchDensities {
		s := millionGaps(density)
		slot := fold(b, &NativeFold{}, mustEncode(b, NativeCommit{NativeID: testID, State: s}))
		b.Run(fmt.Sprint(density), func(b *testing.B) {
			for b.Loop() {
				if r := mustRead(b, slot); count(r.State.Gaps) != s.Gaps.Len() {
					b.Fatal("not all gaps were read")
				}
			}
		})
	}
}

// BenchmarkRoaringEncode and BenchmarkRoaringDecode do the same with the
// portable format of Roaring bitmaps; the latter looks at each gap.
func BenchmarkRoaringEncode(b *testing.B) {
	for _, density := range benchDensities {
		s := millionGaps(density)
		b.Run(fmt.Sprint(density), func(b *testing.B) {
			size := 0
			for b.Loop() {
				set := roaringOf(s)
				set.RunOptimize()
				data, err := set.ToBytes()
				if err != nil {
					b.Fatal(err)
				}
				size = len(data)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

func BenchmarkRoaringDecode(b *testing.B) {
	for _, density := range benchDensities {
		s := millionGaps(density)
		set := roaringOf(s)
		set.RunOptimize()
		data, err := set.ToBytes()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(density), func(b *testing.B) {
			for b.Loop() {
				read := roaring64.New()
				if err := read.UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
				var rs []Range
				for it := read.Iterator(); it.HasNext(); {
					at := int64(it.Next())
					rs = appendJoined(rs, Range{at, at + 1})
				}
				if len(rs) != s.Gaps.Len() {
					b.Fatal("not all gaps were read")
				}
			}
		})
	}
}

// BenchmarkParallelConsumerEncode writes the same gaps in the smallest of
// Parallel Consumer's encodings, which could never be committed.
func BenchmarkParallelConsumerEncode(b *testing.B) {
	for _, density := range benchDensities {
		s := millionGaps(density)
		b.Run(fmt.Sprint(density), func(b *testing.B) {
			size := 0
			for b.Loop() {
				e, err := Smallest(parallelConsumer.Name, s, 0)
				if err != nil {
					b.Fatal(err)
				}
				size = e.Size
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

func millionGaps(density float64) State { return randomGaps(int64(1e6/density), density, 42) }

func recordBytes(records []Record) int {
	n := 0
	for _, r := range records {
		n += len(r.Key) + len(r.Value)
	}
	return n
}
