package codec

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What stands, and then the difference, is what was wanted, byte for byte; and
// nothing is written twice or without need.
func TestDiffNative(t *testing.T) {
	id := NativeID{Group: "billing", TopicID: [16]byte{7}, Partition: 3}
	draw := func(t *rapid.T) []Record {
		var all []Record
		for slot := range uint32(2) {
			id.Slot = slot
			var gaps []Range
			for range rapid.IntRange(0, 4).Draw(t, "gaps") {
				start := rapid.Int64Range(0, 5*NativeWindow).Draw(t, "start")
				gaps = append(gaps, Range{start, start + 3})
			}
			if rapid.Bool().Draw(t, "written") {
				records, err := EncodeNative(NativeCommit{NativeID: id, State: State{Max: 6 * NativeWindow, Gaps: NewRanges(gaps...)}})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, records...)
			}
		}
		return all
	}
	same := func(a, b Record) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) }
	rapid.Check(t, func(t *rapid.T) {
		before, after := draw(t), draw(t)
		diff := DiffNative(before, after)
		var fold NativeFold
		for _, r := range append(slices.Clone(before), diff...) {
			if err := fold.Apply(r.Key, r.Value); err != nil {
				t.Fatal(err)
			}
		}
		var stands []Record
		for e := range fold.All() {
			for _, slot := range e.Slots {
				stands = append(stands, slot.Records()...)
			}
		}
		if !slices.EqualFunc(stands, after, same) {
			t.Fatalf("%x, want %x", stands, after)
		}
		for _, r := range diff {
			if slices.ContainsFunc(before, func(b Record) bool { return same(b, r) }) {
				t.Fatalf("%x stands already", r)
			}
		}
	})
}
