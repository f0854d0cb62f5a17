package codec

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// The two ways of keeping gaps in memory, in one run: a million offsets
// outstanding over ten million (or over a thousand million), acknowledged in
// random order.

func benchmarkOffsets(density float64) (State, []int64) {
	s := millionGaps(density)
	var offsets []int64
	for r := range s.Gaps.All() {
		for at := r.Start; at < r.End; at++ {
			offsets = append(offsets, at)
		}
	}
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(offsets), func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
	return s, offsets
}

func BenchmarkAckGapSet(b *testing.B) {
	for name, density := range map[string]float64{"dense": 0.1, "sparse": 0.001} {
		s, offsets := benchmarkOffsets(density)
		b.Run(name, func(b *testing.B) {
			set, i := NewGapSet(s), 0
			for b.Loop() {
				if i == len(offsets) {
					b.StopTimer()
					set, i = NewGapSet(s), 0
					b.StartTimer()
				}
				set.Done(Range{offsets[i], offsets[i] + 1})
				i++
			}
		})
	}
}

func BenchmarkAckRoaring(b *testing.B) {
	for name, density := range map[string]float64{"dense": 0.1, "sparse": 0.001} {
		s, offsets := benchmarkOffsets(density)
		b.Run(name, func(b *testing.B) {
			set, i := roaringOf(s), 0
			for b.Loop() {
				if i == len(offsets) {
					b.StopTimer()
					set, i = roaringOf(s), 0
					b.StartTimer()
				}
				set.Remove(uint64(offsets[i]))
				i++
			}
		})
	}
}

func roaringOf(s State) *roaring64.Bitmap {
	set := roaring64.New()
	for r := range s.Gaps.All() {
		set.AddRange(uint64(r.Start), uint64(r.End))
	}
	return set
}

// BenchmarkLoad reports the heap that ten million gaps over a hundred million
// offsets take.
func BenchmarkLoad(b *testing.B) {
	s := tenMillionGaps()
	b.Run("GapSet", func(b *testing.B) {
		for b.Loop() {
			before := heapInUse()
			set := NewGapSet(s)
			b.ReportMetric(float64(heapInUse()-before)/1e6, "MB-held")
			runtime.KeepAlive(set)
		}
	})
	b.Run("Roaring", func(b *testing.B) {
		for b.Loop() {
			before := heapInUse()
			set := roaringOf(s)
			set.RunOptimize()
			b.ReportMetric(float64(heapInUse()-before)/1e6, "MB-held")
			runtime.KeepAlive(set)
		}
	})
}

func tenMillionGaps() State { return randomGaps(100_000_000, 0.1127, 3) }

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
