package gapstore

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

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
