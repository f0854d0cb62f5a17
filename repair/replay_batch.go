package repair

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// replayBatch is what one transaction delivers and closes.
type replayBatch struct {
	cuts    []*replayCut
	copies  []replayCopy // in the order of reading
	records int
	bytes   int
	ranges  int
	since   time.Time // of the first record
	memory  copyMemory
}

// replayCut is what a batch closes in one partition.
type replayCut struct {
	part      *replayPart
	closing   []codec.Range
	delivered int64
}

type replayCopy struct {
	of     *replayCut
	record *kgo.Record
}

// close adds offsets whose gap is to be closed.
func (b *replayBatch) close(part *replayPart, offsets codec.Range) {
	if part.cut == nil {
		part.cut = &replayCut{part: part}
		b.cuts = append(b.cuts, part.cut)
	}
	before := len(part.cut.closing)
	part.cut.closing = appendOffsets(part.cut.closing, offsets)
	b.ranges += len(part.cut.closing) - before
}

// deliver counts a record of offsets that were added, and takes its copy, if
// there is one.
func (b *replayBatch) deliver(part *replayPart, record *kgo.Record, size int) {
	if b.records == 0 {
		b.since = time.Now()
	}
	b.records++
	b.bytes += size
	part.cut.delivered++
	if record != nil {
		b.copies = append(b.copies, replayCopy{part.cut, record})
	}
}

// full reports whether b is as large as it may be; hasty is when records were
// delivered that no transaction guards.
func (b *replayBatch) full(hasty bool) bool {
	return b.records >= replayRecords || b.bytes >= replayBytes || b.ranges >= replayRanges ||
		hasty && b.records > 0 && time.Since(b.since) > replayTime
}

// renewed is an empty batch in the memory of b, which is written, or nil.
func (b *replayBatch) renewed() *replayBatch {
	if b == nil {
		return &replayBatch{}
	}
	clear(b.copies) // let go of the records
	b.memory.reset()
	return &replayBatch{copies: b.copies[:0], memory: b.memory}
}

// copiesOf are the copies of cuts.
func (b *replayBatch) copiesOf(cuts []*replayCut) []*kgo.Record {
	mine := map[*replayCut]bool{}
	for _, cut := range cuts {
		mine[cut] = true
	}
	records := make([]*kgo.Record, 0, len(b.copies))
	for _, c := range b.copies {
		if len(cuts) == len(b.cuts) || mine[c.of] {
			records = append(records, c.record)
		}
	}
	return records
}

// flush commits the batch, the copies and the closing of their gaps, once the
// one before is settled. It does not wait for a transaction; its error is that
// of the one before.
func (r *replay) flush(ctx context.Context) error {
	if err := r.settled(); err != nil {
		return err
	}
	batch := r.batch
	if r.to != nil {
		if err := r.to.flush(); err != nil {
			return err
		}
	}
	if len(batch.cuts) == 0 {
		return nil
	}
	r.batch, r.written = r.written.renewed(), batch
	r.copies.memory = &r.batch.memory
	for _, cut := range batch.cuts {
		cut.part.cut = nil
	}
	if r.to != nil {
		// What is delivered must be closed, also when ctx has ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.session.applier.settling())
		defer cancel()
		r.broken = r.write(ctx, batch)
		return r.broken
	}
	r.committing = make(chan error, 1)
	go func() { r.committing <- r.write(ctx, batch) }()
	return nil
}

// settled waits for the batch under way. Its error is that of the first batch
// that was not committed; none may follow.
func (r *replay) settled() error {
	if r.committing != nil {
		r.broken = <-r.committing
		r.committing = nil
	}
	return r.broken
}

// write commits the batch and tells how far it is.
func (r *replay) write(ctx context.Context, b *replayBatch) error {
	if err := r.commit(ctx, b, b.cuts); err != nil || r.session.applier.Progress == nil {
		return err
	}
	var done int64
	for _, part := range r.order {
		done += part.copied + part.shared.others
	}
	r.session.applier.Progress(done)
	return nil
}
