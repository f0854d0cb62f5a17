package bench

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/gapctl/gapctl/codec"
)

// gapEngine is the gaps of a live consumer.
type gapEngine interface {
	acknowledge(offsets []int64)
	commit(b *testing.B) (size int) // makes what a commit writes
}

type gapSet struct{ *codec.GapSet }

func gapSetEngine(s codec.State) func() gapEngine {
	return func() gapEngine { return gapSet{codec.NewGapSet(s)} }
}

func (g gapSet) acknowledge(offsets []int64) {
	for _, at := range offsets {
		g.Done(codec.Range{Start: at, End: at + 1})
	}
}

func (g gapSet) commit(b *testing.B) int { return recordBytes(g.records(b)) }

func (g gapSet) records(b *testing.B) []codec.Record {
	records, err := g.Records(benchID, codec.NativeStamp{}, g.TakeDirty())
	if err != nil {
		b.Fatal(err)
	}
	return records
}

// bitmap is a Roaring bitmap in that place. It does not know what has changed.
type bitmap struct{ *roaring64.Bitmap }

func bitmapEngine(s codec.State) func() gapEngine {
	return func() gapEngine { return bitmap{roaringOf(s)} }
}

func (m bitmap) acknowledge(offsets []int64) {
	for _, at := range offsets {
		m.Remove(uint64(at))
	}
}

func (m bitmap) commit(b *testing.B) int {
	data, err := m.ToBytes()
	if err != nil {
		b.Fatal(err)
	}
	return len(data)
}

// acks acknowledges records of an engine in the order of offsets, and then of a
// fresh one all over again.
type acks struct {
	fresh   func() gapEngine
	offsets []int64
	engine  gapEngine // nil before the first
	next    int
}

// some is the next n records; fewer where there are not as many.
func (a *acks) some(n int) []int64 {
	n = min(n, len(a.offsets))
	if a.engine == nil || a.next+n > len(a.offsets) {
		a.engine, a.next = a.fresh(), 0
	}
	a.next += n
	return a.offsets[a.next-n : a.next]
}

func (a *acks) acknowledging() *timed {
	var offsets []int64
	return &timed{
		of:      min(engineChanges, len(a.offsets)),
		prepare: func() { offsets = a.some(engineChanges) },
		run:     func() { a.engine.acknowledge(offsets) },
	}
}

// committing makes commits, each after so many changes, of that size.
func (a *acks) committing(b *testing.B, changes int, size *int) *timed {
	return &timed{
		prepare: func() {
			offsets := a.some(changes)
			a.engine.acknowledge(offsets)
		},
		run: func() { *size = a.engine.commit(b) },
	}
}

// someOffsets is up to a million of the outstanding offsets, strewn or the first
// ones; the same each time.
func someOffsets(s codec.State, strewn bool) []int64 {
	const most = 1_000_000
	var all []int64
	for r := range s.Gaps.All() {
		for at := r.Start; at < r.End; at++ {
			all = append(all, at)
		}
		if !strewn && len(all) > most {
			break
		}
	}
	if strewn {
		rand.New(rand.NewPCG(7, 7)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return append([]int64(nil), all[:min(len(all), most)]...)
}

// heldBy is the heap that a fresh engine takes, in bytes.
func heldBy(fresh func() gapEngine) int {
	inUse := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := inUse()
	engine := fresh()
	held := inUse() - before
	runtime.KeepAlive(engine)
	return held
}
