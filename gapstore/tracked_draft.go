package gapstore

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// results are records to write in the transaction in which what they result from
// is committed as done: never without it, nor it without them.
type results struct {
	records []result
	of      int64 // one of the offsets that they result from
}

// result is one of them, with the place of what it results from among all that
// the consumer has finished: records are written in the order of the work, from
// whichever partitions they come.
type result struct {
	*kgo.Record
	turn int64
}

// with is r, and what came later.
func (r results) with(later results) results {
	if len(r.records) == 0 {
		return later
	}
	r.records = append(r.records, later.records...)
	return r
}

// finish marks r as done, with what results from it, at a turn. It is false where
// r is done already, or not this member's (any more): then nothing changes.
func (t *tracked) finish(r *kgo.Record, turn int64, records ...*kgo.Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open(r) {
		return false
	}
	t.set.Done(codec.Range{Start: r.Offset, End: r.Offset + 1})
	t.changed, t.hand = true, max(0, t.hand-1)
	if len(records) == 0 {
		return true
	}
	if len(t.results.records) == 0 {
		t.results.of = r.Offset
	}
	for _, record := range records {
		t.results.records = append(t.results.records, result{record, turn})
	}
	return true
}

// resultsOf are the records that go with drafts, in their order: copies, because
// a producer leaves its marks on a record, such as the context of that commit.
func resultsOf(drafts []draft) (records []*kgo.Record) {
	var all []result
	for _, d := range drafts {
		all = append(all, d.results.records...)
	}
	slices.SortStableFunc(all, func(a, b result) int { return cmp.Compare(a.turn, b.turn) })
	for _, r := range all {
		c := *r.Record
		records = append(records, &c)
	}
	return records
}

// draft is what a commit of one partition writes.
type draft struct {
	from     *tracked
	windows  []int64
	departed []codec.Record
	results  results
	commit   OffsetCommit // a keeper's
	records  []codec.Record
}

// take is what is to be committed, and takes it; ok is false when nothing is.
func (t *tracked) take(stamp codec.NativeStamp) (d draft, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.changed {
		return draft{}, false, nil
	}
	stable := t.set.Stable()
	d = draft{from: t, departed: t.departed, results: t.results, commit: OffsetCommit{
		Topic: t.topic, Partition: t.partition, TopicID: t.id.TopicID, Offset: stable, LeaderEpoch: t.epochBefore(stable),
	}}
	stamp.LeaderEpoch = t.epochBefore(t.set.Max())
	d.windows = t.set.TakeDirty()
	written, err := t.set.Records(t.id, stamp, d.windows)
	if err != nil {
		t.set.MarkDirty(d.windows...)
		return draft{}, false, err
	}
	d.records = append(slices.Clip(t.departed), written...)
	t.changed, t.departed, t.results = false, nil, results{}
	return d, true, nil
}

// giveBack undoes take. What became of the commit need not be known, as long as
// there are no results: the next one writes all of it again, as it will be then.
func (d draft) giveBack() {
	d.from.mu.Lock()
	defer d.from.mu.Unlock()
	d.from.set.MarkDirty(d.windows...)
	d.from.changed, d.from.departed, d.from.results = true, d.departed, d.results.with(d.from.results)
}

// settle forgets what is not needed any more after a commit.
func (d draft) settle() {
	d.from.mu.Lock()
	defer d.from.mu.Unlock()
	for len(d.from.epochs) > 1 && d.from.epochs[1].offset < d.commit.Offset {
		d.from.epochs = d.from.epochs[1:]
	}
}

func (d draft) hasResults() bool { return len(d.results.records) > 0 }

func settle(drafts []draft) {
	for _, d := range drafts {
		d.settle()
	}
}

func giveBack(drafts []draft) {
	for _, d := range drafts {
		d.giveBack()
	}
}
