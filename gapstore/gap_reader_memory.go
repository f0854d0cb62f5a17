package gapstore

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// recordOverhead is about what a record takes in memory beside its bytes, and
// emptySize what offsets without one take.
const (
	recordOverhead = 256
	emptySize      = 32
)

// memoryOf is about what r takes in memory, in bytes.
func memoryOf(r *kgo.Record) int64 {
	size := recordOverhead + len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		size += len(h.Key) + len(h.Value) + 40
	}
	return int64(size)
}

func (p *gapPiece) size() int64 {
	if p.record == nil {
		return emptySize
	}
	return memoryOf(p.record)
}

// cloneRecord is r in memory of its own.
func cloneRecord(r *kgo.Record) *kgo.Record {
	c := *r
	c.Key, c.Value = slices.Clone(r.Key), slices.Clone(r.Value)
	c.Headers = slices.Clone(r.Headers)
	for i := range c.Headers {
		c.Headers[i].Value = slices.Clone(c.Headers[i].Value)
	}
	return &c
}

// aheadShare is what a log may hold when the run whose turn it is comes last:
// the rest is kept for that one.
func aheadShare(share int64) int64 { return share / 4 * 3 }

// learn notes what an offset and a batch cost, where all is the records' size in
// memory.
func (l *gapLog) learn(got *Fetched, all int64) {
	if offsets := got.Next - got.First; offsets > 0 && got.Size > 0 {
		l.perOffset = max(0.1, float64(got.Size)/float64(offsets))
		room := max(got.Batch+got.Batch/8, int(l.room/4*3)) // the next may be as large as those before
		l.room = int32(min(max(leastRoom, room), flightBytes/2))
		if !got.Thinned { // else it does not tell what records take that are all wanted
			l.swell = max(1, float64(all)/float64(got.Size))
		}
	}
}
