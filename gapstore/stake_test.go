package gapstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDeal(t *testing.T) {
	three := map[string]bid{
		"c": {stakes: []Stake{{"t", 0, 9}, {"t", 1, 5}, {"t", 2, 4}, {"t", 3, 0}}},
		"a": {stakes: []Stake{{"t", 0, 90}, {"t", 1, 50}, {"t", 2, 4}}},
		"b": {stakes: []Stake{{"u", 7, 1}, {"t", 3, 0}}},
	}
	want := map[string]map[string][]int32{"a": {"t": {0}}, "b": {"u": {7}}, "c": {"t": {1, 2}}}
	if got := deal(three); !reflect.DeepEqual(got, want) {
		t.Errorf("dealt %+v", got)
	}
}

// However the members bid, each partition that anybody wants is dealt once, to
// one who wants it, and nobody is idle while another has two it could have.
func TestDealIsFair(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		bids := map[string]bid{}
		wanted := map[place]bool{}
		for i := range 1 + rnd.IntN(6) {
			b := bid{}
			for p := range int32(12) {
				if out := rnd.Int64N(100); out > 20 {
					b.stakes = append(b.stakes, Stake{"t", p, out})
					wanted[place{"t", p}] = true
				}
			}
			bids[fmt.Sprint(i)] = b
		}
		dealt := map[place]string{}
		for name, parts := range deal(bids) {
			for _, p := range parts["t"] {
				if other, twice := dealt[place{"t", p}]; twice {
					t.Fatalf("seed %d: %d is both %s's and %s's", seed, p, name, other)
				}
				dealt[place{"t", p}] = name
				if !slices.ContainsFunc(bids[name].stakes, func(s Stake) bool { return s.Partition == p }) {
					t.Fatalf("seed %d: %s did not ask for %d", seed, name, p)
				}
			}
		}
		if len(dealt) != len(wanted) {
			t.Fatalf("seed %d: dealt %v of %v", seed, dealt, wanted)
		}
	}
}

func FuzzStakes(f *testing.F) {
	b := bid{round: 7, stakes: []Stake{{"orders", 0, 1}, {"orders", 4, 1 << 40}, {"payments", 1, 0}}}
	f.Add(b.append(nil))
	f.Add(appendParts(map[string][]int32{"orders": {0, 4}}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := parseBid(data); err == nil {
			again, err := parseBid(b.append(nil))
			if err != nil || again.round != b.round || len(again.stakes) != len(b.stakes) {
				t.Errorf("%+v came back as %+v, %v", b, again, err)
			}
		}
		if parts, err := parseParts(data); err == nil {
			if again, err := parseParts(appendParts(parts, nil)); err != nil || !reflect.DeepEqual(again, parts) {
				t.Errorf("%+v came back as %+v, %v", parts, again, err)
			}
		}
	})
}

// With a right to all transactional IDs that begin like the group's, a member
// has its own.
func TestMemberTransactions(t *testing.T) {
	id := memberTransactions("g", togetherName+"-42")
	if id != "gapctl-g-together-42" || !strings.HasPrefix(id, transactionalID("g")) {
		t.Error(id)
	}
}
