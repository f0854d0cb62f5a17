package repair

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// The bounds of one batch: a transaction holds back the readers of the copies,
// and what is delivered and not committed is delivered again after a kill.
const (
	replayRecords = 10_000
	replayBytes   = 8 << 20
	replayTime    = time.Second // of records that go to no topic
	// replayRanges bounds the closed gaps of a batch that copies nothing.
	replayRanges = 1 << 16
)

// ErrIncomplete is the class of a replay that did not deliver all; what it
// delivered is done, and the rest outstanding.
var ErrIncomplete = errors.New("not all was delivered")

// replay is the delivery of the records of some changes, under the hold.
type replay struct {
	session *session
	op      Replay
	to      delivery // nil: a topic
	parts   map[place]*replayPart
	order   []*replayPart
	batch   []replayCopy
	bytes   int
	ranges  int
	since   time.Time // when the batch began
	started time.Time
	taken   int64
	failed  error // the first record that was not accepted
}

// place names a partition.
type place struct {
	topic     string
	partition int32
}

// replayPart is one partition under way.
type replayPart struct {
	change  Change
	now     Commit
	state   codec.State // that now says
	closing []codec.Range
	copied  int64
	err     error // why not all of it was read
}

type replayCopy struct {
	part   *replayPart
	record *kgo.Record
}

// replay delivers what changes want, batch by batch.
func (s *session) replay(ctx context.Context, op Replay, changes []Change) error {
	r := &replay{session: s, op: op, parts: map[place]*replayPart{}, started: time.Now()}
	var err error
	if r.to, err = op.delivery(s.applier.Streams); err != nil {
		return err
	}
	var targets []gapstore.Target
	for _, c := range changes {
		part := &replayPart{change: c, now: c.Before, state: c.Before.State.Normalize()}
		r.parts[place{c.Topic, c.Partition}] = part
		r.order = append(r.order, part)
		targets = append(targets, gapstore.Target{Topic: c.Topic, Partition: c.Partition, Ranges: completed(c.After.State).Sub(completed(c.Before.State))})
	}
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	err = r.run(ctx, store, targets)
	return errors.Join(err, r.conclude(ctx, err))
}

func (r *replay) run(ctx context.Context, store *gapstore.Store, targets []gapstore.Target) error {
	for found, err := range store.ReadRecords(ctx, targets, gapstore.ReadOptions{Order: r.op.order()}) {
		if err != nil && found.Topic == "" {
			return errors.Join(err, r.flush(ctx))
		}
		part := r.parts[place{found.Topic, found.Partition}]
		if err != nil {
			part.err = err
			continue
		}
		if err := r.take(ctx, part, found); err != nil {
			return err
		}
		if r.full() {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return r.flush(ctx)
}

// take puts a record into the batch, or delivers it.
func (r *replay) take(ctx context.Context, part *replayPart, found gapstore.Found) error {
	if found.Record == nil {
		part.closing = append(part.closing, found.Offsets)
		r.ranges++
		return nil
	}
	if err := r.pace(ctx); err != nil {
		return errors.Join(err, r.flush(ctx))
	}
	record := inspect.Record{Record: found.Record, Group: r.session.plan.Group, State: inspect.RecordOutstanding, Deliveries: -1}
	if r.to != nil {
		if err := r.to.deliver(ctx, &record); err != nil {
			return r.reject(ctx, err)
		}
	}
	if len(r.batch) == 0 {
		r.since = time.Now()
	}
	part.closing = append(part.closing, found.Offsets)
	r.ranges++
	r.bytes += record.Size()
	c := replayCopy{part: part}
	if r.to == nil {
		c.record = copyOf(&record, r.op)
	}
	r.batch = append(r.batch, c)
	return nil
}

// reject notes a record that was not accepted. Of a command's verdict it
// is the record's own matter; anything else ends the replay.
func (r *replay) reject(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), r.flush(ctx))
	}
	if r.op.Exec == "" {
		return err
	}
	if r.failed == nil {
		r.failed = err
	}
	return r.session.hold.Err()
}

// pace waits until the rate allows another record. What is in the batch does
// not wait with it for long.
func (r *replay) pace(ctx context.Context) error {
	r.taken++
	if r.op.Rate <= 0 {
		return nil
	}
	due := r.started.Add(time.Duration(float64(r.taken-1) / float64(r.op.Rate) * float64(time.Second)))
	wait := time.Until(due)
	if wait <= 0 {
		return nil
	}
	if wait > replayTime/10 || time.Since(r.since) > replayTime {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	select {
	case <-time.After(time.Until(due)):
		return nil
	case <-r.session.hold.Lost():
		return r.session.hold.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *replay) full() bool {
	return len(r.batch) >= replayRecords || r.bytes >= replayBytes || r.ranges >= replayRanges ||
		r.to != nil && len(r.batch) > 0 && time.Since(r.since) > replayTime
}

// flush commits the batch: the copies and the closing of their gaps.
func (r *replay) flush(ctx context.Context) error {
	if r.to != nil {
		if err := r.to.flush(); err != nil {
			return err
		}
		// What is delivered must be closed, also when ctx has ended.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
	}
	var parts []*replayPart
	for _, part := range r.order {
		if len(part.closing) > 0 {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	err := r.commit(ctx, parts)
	r.batch, r.bytes, r.ranges = r.batch[:0], 0, 0
	if err == nil && r.session.applier.Progress != nil {
		var done int64
		for _, part := range r.order {
			done += part.copied
		}
		r.session.applier.Progress(done)
	}
	return err
}
