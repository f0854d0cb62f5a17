package gapstore

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// Target is what to read of one partition.
type Target struct {
	Topic     string
	Partition int32
	Ranges    codec.Ranges
}

// Found is what the log has at some offsets of a [Target].
type Found struct {
	Topic     string
	Partition int32
	// Offsets are the record's one offset, or, without a Record, offsets that
	// hold none that a consumer could ever get: transaction markers, records
	// of aborted transactions, and what log compaction has removed.
	Offsets codec.Range
	Record  *kgo.Record
}

// Order is the order in which records are read.
type Order int

// The orders.
const (
	// ByPartition is in the order of the targets, each by offset.
	ByPartition Order = iota
	// ByArrival merges the partitions by the timestamps of their next records,
	// then topic and partition. Within a partition the order is by offset,
	// whatever the timestamps say.
	ByArrival
)

// ReadOptions say how to read; the zero value is a good choice.
type ReadOptions struct {
	Order Order
	// Memory bounds what is read ahead, in bytes; 0: 32 MiB. One record per
	// partition may go beyond it when the order is ByArrival, and a batch of
	// records per request under way, however large the producer made it.
	Memory int64
}

const (
	readMemory = 32 << 20
	// readTries is how often in a row a partition is asked in vain.
	readTries = 8
)

// ReadRecords reads the committed records at the offsets of targets, and only
// around those: it goes from gap to gap and does not read what lies between. It
// joins no group. What the log does not hold is left out: offsets below its
// start, and those that read-committed readers do not get yet.
//
// All else is told exactly once, unless there is an error: an [*Error] of one
// partition comes with its Topic and Partition, where its next record would
// be, and the others go on. An error without a Topic is the last.
func (s *Store) ReadRecords(ctx context.Context, targets []Target, o ReadOptions) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		r := &gapReader{
			store: s, ctx: ctx, order: o.Order, memory: o.Memory,
			flying: map[int32]int{}, landed: make(chan *gapFlight, 64), lanes: []*Store{s},
		}
		if r.memory <= 0 {
			r.memory = readMemory
		}
		r.freed = r.memory
		defer r.close(cancel)
		if err := r.open(targets); err != nil {
			yield(Found{}, err)
			return
		}
		r.run(yield)
	}
}

// gapReader reads the records of many logs. The goroutine that consumes the
// records owns it; those that fetch only send what they got to landed.
type gapReader struct {
	store  *Store
	ctx    context.Context
	order  Order
	memory int64

	logs  []*gapLog // those that are not read to the end, in the order given
	held  int64     // bytes that are kept or asked for, of all logs
	freed int64     // bytes let go since the last schedule
	stale bool      // leaders have to be asked for again

	heads   headHeap // ByArrival: the logs whose next record is known
	flying  map[int32]int
	landed  chan *gapFlight
	fetches sync.WaitGroup

	lanes    []*Store // what to ask, store first
	left     []*Store // lanes that failed
	crowded  bool     // no more lanes
	launched int      // flights
}

// run yields what is found until the last.
func (r *gapReader) run(yield func(Found, error) bool) {
	for len(r.logs) > 0 {
		if !r.land() {
			yield(Found{}, r.store.Failure("read records", context.Cause(r.ctx)))
			return
		}
		if r.freed > r.memory/16 {
			r.schedule()
		}
		log := r.next()
		if log == nil {
			r.wait()
			continue
		}
		if found, err, ok := r.take(log); ok && !yield(found, err) {
			return
		}
	}
}

// next is the log to take from, nil when that is not known yet.
func (r *gapReader) next() *gapLog {
	if r.order == ByPartition {
		if log := r.logs[0]; log.settled() {
			return log
		}
		return nil
	}
	return r.heads.first(r.logs)
}

// take is the next piece of the log, not ok when there is none any more.
func (r *gapReader) take(log *gapLog) (found Found, err error, ok bool) {
	found.Topic, found.Partition = log.at.Topic, log.at.Partition
	piece, ok := log.pop()
	if !ok {
		r.drop(log)
		return found, log.err, log.err != nil
	}
	size := piece.size()
	log.held -= size
	r.held -= size
	r.freed += size
	found.Offsets, found.Record = piece.offsets, piece.record
	return found, nil, true
}

// drop ends the reading of a log.
func (r *gapReader) drop(log *gapLog) {
	log.stop()
	r.held -= log.held
	log.held = 0
	log.dropped = true
	r.logs = slices.DeleteFunc(r.logs, func(l *gapLog) bool { return l == log })
	r.freed += r.memory // there is room for another
}

// headHeap orders logs by their next records. It is filled once the next of
// all logs is known, as the least of them can not be told before.
type headHeap struct{ logs []*gapLog }

// first is the log with the least head, nil when not all heads are known.
func (h *headHeap) first(all []*gapLog) *gapLog {
	if len(h.logs) != len(all) {
		h.logs = h.logs[:0]
		for _, log := range all {
			if !log.settled() {
				return nil
			}
		}
		h.logs = append(h.logs, all...)
		for i := len(h.logs)/2 - 1; i >= 0; i-- {
			h.sink(i)
		}
		return h.logs[0]
	}
	if !h.logs[0].settled() {
		return nil
	}
	h.sink(0)
	return h.logs[0]
}

// sink restores the order of the heap from i down.
func (h *headHeap) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.logs); child++ {
			if compareHeads(h.logs[child], h.logs[least]) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		h.logs[i], h.logs[least] = h.logs[least], h.logs[i]
		i = least
	}
}

// compareHeads is the order by arrival. What has no record, and so no time,
// comes first: it is in nobody's way.
func compareHeads(a, b *gapLog) int {
	return cmp.Or(a.headTime().Compare(b.headTime()),
		cmp.Compare(a.at.Topic, b.at.Topic), cmp.Compare(a.at.Partition, b.at.Partition))
}

// headTime is the timestamp of the next record, zero when there is none.
func (l *gapLog) headTime() time.Time {
	if head := l.head(); head != nil && head.record != nil {
		return head.record.Timestamp
	}
	return time.Time{}
}
