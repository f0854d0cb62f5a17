package codec

import (
	"slices"
	"testing"
)

func BenchmarkDecodeParallelConsumer(b *testing.B) {
	golden := readPCGolden(b)
	for i := range pcLayouts {
		name := pcLayouts[i].name
		all := slices.DeleteFunc(slices.Clone(golden), func(g pcGolden) bool { return g.name() != name })
		if len(all) == 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				g := &all[i%len(all)]
				if _, err := Decode(g.Metadata, g.Committed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodeParallelConsumer(b *testing.B) {
	var states []State
	for _, g := range readPCGolden(b) {
		if s := (State{Stable: g.Committed, Max: g.Highest + 1, Gaps: rangesOf(g.Gaps)}); g.Smallest && s.Check() == nil {
			states = append(states, s)
		}
	}
	for _, name := range append([]string{""}, writablePCEncodings()...) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := Encode(states[i%len(states)], "parallel-consumer", name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func writablePCEncodings() []string {
	var names []string
	for _, e := range parallelConsumer.Encodings {
		if e.Writable() {
			names = append(names, e.Name)
		}
	}
	return names
}
