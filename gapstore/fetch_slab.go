package gapstore

import "github.com/twmb/franz-go/pkg/kgo"

// unpackRoom is memory in which one partition is unpacked after the other.
type unpackRoom struct {
	records recordSlabs
	batch   []byte // decompressed
	thin    []byte // the batches with the wanted records alone
}

// recordSlabs gives records the memory of earlier ones. A broker sends whole
// batches, of which often one record is wanted: of a hundred partitions these
// would be tens of megabytes. It implements [kgo.PoolRecords].
type recordSlabs struct {
	free, taken [][]kgo.Record
}

// reset takes back all that was given.
func (s *recordSlabs) reset() {
	s.free = append(s.free, s.taken...)
	s.taken = s.taken[:0]
}

// GetRecords gives a slice with capacity n.
func (s *recordSlabs) GetRecords(n int) []kgo.Record {
	var slab []kgo.Record
	if last := len(s.free) - 1; last >= 0 {
		slab, s.free = s.free[last][:0], s.free[:last]
	}
	if cap(slab) < n {
		slab = make([]kgo.Record, 0, n)
	}
	s.taken = append(s.taken, slab)
	return slab
}

// PutRecords is not for us: records are taken back all at once.
func (s *recordSlabs) PutRecords([]kgo.Record) {}
