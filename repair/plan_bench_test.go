package repair

import (
	"io"
	"testing"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// BenchmarkPlan plans 1,000 partitions whose gaps fill all the room there is,
// and makes the JSON with the digest.
func BenchmarkPlan(b *testing.B) {
	full := fullState()
	parts := make([]inspect.Partition, 1000)
	for i := range parts {
		parts[i] = partition(full, 20, 1_000_000)
	}
	s := snapshot(parts...)
	var targets []Target
	for i := range parts {
		targets = append(targets, Target{"orders", int32(i), codec.NewRanges(codec.Range{Start: 0, End: 100})})
	}
	for _, op := range []Op{Compact{}, Reset{To: ToOffset, Offset: 1000}, Reset{Done: targets}} {
		b.Run(op.Name(), func(b *testing.B) {
			for b.Loop() {
				if p, err := NewPlan(s, op); err != nil || len(p.Changes) != len(parts) {
					b.Fatal(err)
				}
			}
		})
	}
	p, err := NewPlan(s, Compact{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			if err := p.WriteJSON(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
