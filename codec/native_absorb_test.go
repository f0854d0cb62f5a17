package codec

import (
	"math/rand/v2"
	"testing"
)

// A keeper follows slots that change at random, commit by commit, and always
// has the union that reading all of them from the start gives.
func TestAbsorbFollowsTheSlots(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var fold NativeFold
		union := new(GapSet)
		live := make([]*GapSet, 3)
		for i := range live {
			live[i] = new(GapSet)
		}
		for range 30 {
			slot := rng.IntN(len(live))
			for range 1 + rng.IntN(20) {
				at := rng.Int64N(6) << windowBits * rng.Int64N(2)
				length := []int64{1, 100, NativeWindow, 3 * NativeWindow}[rng.IntN(4)]
				at += rng.Int64N(6*NativeWindow) * rng.Int64N(2)
				live[slot].Done(Range{at, at + length})
			}
			commitSlot(t, &fold, NativeID{Group: "g", Slot: uint32(slot)}, live[slot])
			if rng.IntN(3) == 0 {
				continue // the keeper takes several commits at once
			}
			for e := range fold.All() {
				for _, s := range e.Slots {
					if err := union.Absorb(s); err != nil {
						t.Fatal(err)
					}
				}
				want, err := e.State()
				if got := union.State(); err != nil || !got.Equal(want) {
					t.Fatalf("seed %d: [%d,%d) %s, want [%d,%d) %s, error %v", seed, got.Stable, got.Max, got.Gaps, want.Stable, want.Max, want.Gaps, err)
				}
			}
		}
	}
}

func commitSlot(t *testing.T, fold *NativeFold, id NativeID, set *GapSet) {
	t.Helper()
	records, err := set.Records(id, NativeStamp{}, set.TakeDirty())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := fold.Apply(r.Key, r.Value); err != nil {
			t.Fatal(err)
		}
	}
}
