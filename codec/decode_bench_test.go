package codec

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"
)

// commits are many states of one shape, each another, as they are committed.
type commits struct {
	shape, format, encoding string
	many                    int
	state                   func(random *rand.Rand) State
}

// decodedCommits are what BenchmarkDecode decodes. The first is what a group of
// workers by key leaves: some 420 characters.
func decodedCommits() []commits {
	const pc = parallelConsumerName
	return []commits{
		{"78 gaps", pc, "run-length-v1", 30_000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"78 gaps", pc, "run-length-v2", 10_000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"78 gaps", pc, "bit-set-v1", 10_000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"78 gaps", pc, "run-length-v1-zstd", 3000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"78 gaps", "greyhound", "text", 3000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"78 gaps", "pyrallel", "ranges", 3000, func(random *rand.Rand) State { return gapsApart(random, 78, 12, 8) }},
		{"one gap", pc, "run-length-v1", 30_000, func(random *rand.Rand) State { return gapsApart(random, 1, 12, 900) }},
		{"one gap", pc, "bit-set-v1", 30_000, func(random *rand.Rand) State { return gapsApart(random, 1, 12, 900) }},
		{"5 gaps", pc, "run-length-v1", 30_000, func(random *rand.Rand) State { return gapsApart(random, 5, 200, 8) }},
		{"1 in 1,000", pc, "run-length-v1", 10_000, func(random *rand.Rand) State { return gapsApart(random, 24, 2000, 2) }},
		{"half", pc, "run-length-v1", 1000, func(random *rand.Rand) State { return randomGaps(4000, 0.5, random.Uint64()) }},
		{"half", pc, "bit-set-v1", 1000, func(random *rand.Rand) State { return randomGaps(24_000, 0.5, random.Uint64()) }},
		{"half", pc, "bit-set-v1-zstd", 1000, func(random *rand.Rand) State { return randomGaps(24_000, 0.5, random.Uint64()) }},
		{"alternating", pc, "run-length-v1", 1000, func(random *rand.Rand) State { return gapsApart(random, 800, 1, 1) }},
		{"alternating", pc, "bit-set-v1", 300, func(random *rand.Rand) State { return gapsApart(random, 12_000, 1, 1) }},
		{"bursts", pc, "run-length-v1", 3000, func(random *rand.Rand) State { return gapsApart(random, 96, 400, 100) }},
		{"bursts", pc, "bit-set-v1", 1000, func(random *rand.Rand) State { return gapsApart(random, 96, 400, 100) }},
		{"far apart", pc, "run-length-v2", 3000, func(random *rand.Rand) State { return gapsApart(random, 96, 4000, 100) }},
	}
}

// gapsApart has that many gaps of up to long offsets, up to apart from each other.
func gapsApart(random *rand.Rand, gaps int, apart, long int64) State {
	start := random.Int64N(300)
	at, rs := start, []Range(nil)
	for range gaps {
		rs = append(rs, Range{at, at + 1 + random.Int64N(long)})
		at = rs[len(rs)-1].End + 1 + random.Int64N(apart)
	}
	return State{Stable: start, Max: at, Gaps: NewRanges(rs...)}
}

// BenchmarkDecode is the time that one state takes: when all that was decoded is
// kept, in memory that is new to the process, as a command has it; and when
// nothing is.
func BenchmarkDecode(b *testing.B) {
	for _, c := range decodedCommits() {
		random := rand.New(rand.NewPCG(1, 2))
		written := make([]Encoded, c.many)
		for i := range written {
			var err error
			if written[i], err = Encode(c.state(random), c.format, c.encoding); err != nil {
				b.Fatal(err)
			}
		}
		run := func(b *testing.B, keep func(i int, d Decoded)) {
			for i := range written {
				d, err := Decode(written[i].Metadata, written[i].Committed)
				if err != nil || d.Encoding != written[i].Encoding {
					b.Fatal(d.Encoding, err)
				}
				keep(i, d)
			}
		}
		name := c.shape + "/" + c.format + " " + c.encoding
		b.Run(name+"/kept", func(b *testing.B) {
			var kept []Decoded
			for range b.N {
				b.StopTimer()
				kept = nil
				debug.FreeOSMemory()
				b.StartTimer()
				kept = make([]Decoded, len(written))
				run(b, func(i int, d Decoded) { kept[i] = d })
			}
			perState(b, len(kept))
		})
		b.Run(name+"/dropped", func(b *testing.B) {
			for range b.N {
				run(b, func(int, Decoded) {})
			}
			perState(b, len(written))
		})
	}
}

func perState(b *testing.B, states int) {
	b.ReportMetric(float64(b.Elapsed())/float64(time.Nanosecond)/float64(b.N*states), "ns/state")
	b.ReportMetric(0, "ns/op")
}
