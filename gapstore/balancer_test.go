package gapstore

import (
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

func TestAssignmentBytes(t *testing.T) {
	a := &assignment{slot: 300, shares: []share{
		{place: place{"orders", 3}, points: codec.Range{Start: 1 << 30, End: pointSpace}},
		{place: place{"orders", 4}, points: codec.Range{End: pointSpace}, keeper: true},
		{place: place{"payments", 0}, points: codec.Range{End: 7}, keeper: true, others: []uint32{1, 1<<32 - 1}},
	}}
	data := a.append(nil)
	got, err := parseAssignment(data)
	if err != nil || !reflect.DeepEqual(got, *a) {
		t.Errorf("%+v, error %v", got, err)
	}
	for n := range data {
		if a, err := parseAssignment(data[:n]); err == nil {
			t.Errorf("%d of %d bytes: %+v", n, len(data), a)
		}
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			spoiled := append([]byte(nil), data...)
			spoiled[n] = b
			a, err := parseAssignment(spoiled)
			for _, s := range a.shares {
				if err == nil && (s.points.Start < 0 || s.points.End > pointSpace || s.points.Start > s.points.End || a.slot == 0) {
					t.Errorf("byte %d is %#x: %+v", n, b, a)
				}
			}
		}
	}
}

// The points of keys are those of Kafka's default partitioner, whose hashes
// docs/FORMAT.md tells. A block goes to one member, blocks in a row to members
// in turn, and a record without a key goes by its block.
func TestPoints(t *testing.T) {
	for key, hash := range map[string]int32{"21": -973932308, "foobar": -790332482, "abc": 479470107} {
		if got := ByKey.point(&kgo.Record{Key: []byte(key)}); got != int64(hash&0x7fffffff) {
			t.Errorf("%q: point %d", key, got)
		}
	}
	for _, members := range []int{2, 3, 4, 5, 8} {
		counts := make([]int, members)
		at := func(offset int64) int {
			p := ByBlock.point(&kgo.Record{Offset: offset, Key: []byte("any")})
			if p != ByKey.point(&kgo.Record{Offset: offset}) {
				t.Fatalf("offset %d: without a key it goes elsewhere", offset)
			}
			for i, pieces := range cut([]place{{}}, members) {
				if pieces[0].points.Contains(p) {
					return i
				}
			}
			t.Fatalf("offset %d goes to nobody", offset)
			return 0
		}
		const blocks = 240
		for block := range int64(blocks) {
			if at(block*blockSize) != at((block+1)*blockSize-1) {
				t.Errorf("block %d is divided", block)
			}
			counts[at(block*blockSize)]++
		}
		for i, n := range counts {
			if fair := blocks / members; n < fair-6 || n > fair+6 {
				t.Errorf("member %d of %d has %d blocks of %d", i, members, n, blocks)
			}
		}
	}
}
