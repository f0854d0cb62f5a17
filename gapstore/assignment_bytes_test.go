package gapstore

import (
	"reflect"
	"testing"

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
