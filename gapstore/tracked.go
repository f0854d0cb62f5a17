package gapstore

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// tracked is one partition of a live consumer: what is done, and what of that
// is not committed yet. It is safe for concurrent use.
type tracked struct {
	place
	id codec.NativeID

	mu  sync.Mutex
	set *codec.GapSet
	// next is one past the last offset that the log has given; NoOffset until
	// it gives the first record, where no commit says where to begin.
	next    int64
	changed bool // since the last commit
	epochs  []epochStart
}

// epochStart is the first offset that was read with a leader epoch.
type epochStart struct {
	offset int64
	epoch  int32
}

// newTracked is a partition that is read from start on.
func newTracked(at place, id codec.NativeID, set *codec.GapSet, start kgo.EpochOffset) *tracked {
	t := &tracked{place: at, id: id, set: set, next: start.Offset}
	if start.Offset >= 0 && start.Epoch >= 0 {
		t.epochs = []epochStart{{start.Offset, start.Epoch}}
	}
	return t
}

// deliver takes note of the next record of the log, and reports whether it is
// to be processed. Offsets that the log passes over hold no record for anybody
// (transaction markers, aborted, compacted or removed by retention): they are
// done, or they would stay gaps for ever.
func (t *tracked) deliver(r *kgo.Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	passed := codec.Range{Start: max(0, t.next), End: r.Offset}
	if !passed.Empty() {
		t.set.Done(passed)
		t.changed = t.changed || t.next >= 0
	}
	t.next = max(t.next, r.Offset+1)
	if n := len(t.epochs); r.LeaderEpoch >= 0 && (n == 0 || t.epochs[n-1].epoch < r.LeaderEpoch) {
		t.epochs = append(t.epochs, epochStart{r.Offset, r.LeaderEpoch})
	}
	return !t.set.Completed(r.Offset)
}

// done marks a record as done. One that is done already changes nothing.
func (t *tracked) done(offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	outstanding, end := t.set.Outstanding(), t.set.Max()
	t.set.Done(codec.Range{Start: offset, End: offset + 1})
	t.changed = t.changed || t.set.Outstanding() != outstanding || t.set.Max() != end
}

// draft is what a commit of one partition writes.
type draft struct {
	from    *tracked
	windows []int64
	commit  OffsetCommit
	records []codec.Record
}

// take is what is to be committed, and takes it; ok is false when nothing is.
func (t *tracked) take(stamp codec.NativeStamp) (d draft, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.changed {
		return draft{}, false, nil
	}
	stable := t.set.Stable()
	d = draft{from: t, commit: OffsetCommit{
		Topic: t.topic, Partition: t.partition, TopicID: t.id.TopicID, Offset: stable, LeaderEpoch: t.epochBefore(stable),
	}}
	stamp.LeaderEpoch = t.epochBefore(t.set.Max())
	d.windows = t.set.TakeDirty()
	if d.records, err = t.set.Records(t.id, stamp, d.windows); err != nil {
		t.set.MarkDirty(d.windows...)
		return draft{}, false, err
	}
	t.changed = false
	return d, true, nil
}

// giveBack undoes take. What became of the commit need not be known: the next
// one writes all of it again, as it will be then.
func (d draft) giveBack() {
	d.from.mu.Lock()
	defer d.from.mu.Unlock()
	d.from.set.MarkDirty(d.windows...)
	d.from.changed = true
}

// settle forgets what is not needed any more after a commit.
func (d draft) settle() {
	d.from.mu.Lock()
	defer d.from.mu.Unlock()
	for len(d.from.epochs) > 1 && d.from.epochs[1].offset < d.commit.Offset {
		d.from.epochs = d.from.epochs[1:]
	}
}

// epochBefore is the leader epoch of the record before offset; -1: not known.
func (t *tracked) epochBefore(offset int64) int32 {
	epoch := int32(-1)
	for _, e := range t.epochs {
		if e.offset < offset || e.offset == t.epochs[0].offset {
			epoch = e.epoch
		}
	}
	return epoch
}
