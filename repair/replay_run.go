package repair

import (
	"context"
	"errors"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// The bounds of one batch: a transaction holds back the readers of the copies,
// and what is delivered and not committed is delivered again after a kill.
const (
	replayRecords = 25_000
	replayBytes   = 8 << 20
	replayMemory  = 16 << 20    // of what is read ahead
	replayTime    = time.Second // of records that go to no topic
	// replayRanges bounds the closed gaps of a batch that copies nothing.
	replayRanges = 1 << 16
)

// ErrIncomplete is the class of a replay that did not deliver all; what it
// delivered is done, and the rest outstanding.
var ErrIncomplete = errors.New("not all was delivered")

// replay is the delivery of the records of some changes, under the hold. While
// one batch is committed, the next is read.
type replay struct {
	session *session
	hold    *gapstore.Hold
	op      Replay
	to      delivery // nil: a topic
	copies  copies
	parts   map[place]*replayPart
	order   []*replayPart
	batch   *replayBatch // that is being read
	written *replayBatch // the one before, under way or done
	started time.Time
	taken   int64

	committing chan error // nil unless a batch is under way
	broken     error      // why no other batch can follow

	doubts []doubt // Together: batches of which it is not known whether they were made
}

// replayPart is one partition under way. While a batch is committed, what stands
// and what was made of it (now, state, ours, copied, closed) is that commit's to
// change, and the reading of the next batch leaves it alone.
type replayPart struct {
	change Change
	chosen codec.Ranges // what is to be delivered, as the plan has it
	now    Commit
	state  codec.State // that now says
	ours   bool        // now was written by this replay
	copied int64
	closed int64      // offsets of chosen
	cut    *replayCut // of the batch that is being read; nil: nothing
	err    error      // why not all of it was read
	failed error      // the first record that was not accepted
	shared sharedPart
}

// replay delivers what changes want, batch by batch.
func (s *session) replay(ctx context.Context, op Replay, changes []Change) error {
	r, err := s.newReplay(op, changes)
	if err != nil {
		return err
	}
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	if r.copies, err = newCopies(ctx, store, op); err != nil {
		return err
	}
	var targets []gapstore.Target
	for _, part := range r.order {
		targets = append(targets, part.target(part.chosen))
	}
	r.renew()
	err = r.run(ctx, ctx, store, targets)
	if settled := r.settled(); err == nil {
		err = settled
	}
	return errors.Join(err, r.conclude(ctx, err))
}

func (s *session) newReplay(op Replay, changes []Change) (*replay, error) {
	r := &replay{session: s, hold: s.hold, op: op, parts: map[place]*replayPart{}}
	for _, c := range changes {
		part := &replayPart{change: c, now: c.Before, state: c.Before.State.Normalize()}
		part.chosen = completed(c.After.State).Sub(completed(c.Before.State))
		r.parts[place{c.Topic, c.Partition}] = part
		r.order = append(r.order, part)
	}
	var err error
	r.to, err = op.delivery(s.applier.Streams)
	return r, err
}

func (p *replayPart) target(offsets codec.Ranges) gapstore.Target {
	return gapstore.Target{Topic: p.change.Topic, Partition: p.change.Partition, Ranges: offsets}
}

// renew makes r ready to read, with nothing in hand. The rate counts from here.
func (r *replay) renew() {
	r.started, r.taken = time.Now(), 0
	r.batch, r.written, r.broken = &replayBatch{}, nil, nil
	r.copies.memory = &r.batch.memory
	for _, part := range r.order {
		part.cut = nil
	}
}

// run delivers what is read of targets, while reading lasts.
func (r *replay) run(ctx, reading context.Context, store *gapstore.Store, targets []gapstore.Target) error {
	for found, err := range store.ReadRecords(reading, targets, gapstore.ReadOptions{Order: r.op.order(), Memory: replayMemory}) {
		if err != nil && found.Topic == "" {
			if lost := r.hold.Err(); lost != nil { // a commit would be refused
				return lost
			}
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
		if r.batch.full(r.to != nil) {
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
		r.batch.close(part, found.Offsets)
		return nil
	}
	if err := r.pace(ctx); err != nil {
		return errors.Join(err, r.flush(ctx))
	}
	record := inspect.Record{Record: found.Record, Group: r.session.plan.Group, State: inspect.RecordOutstanding, Deliveries: -1}
	size := record.Size()
	if r.to != nil {
		if err := r.to.deliver(ctx, &record); err != nil {
			return r.reject(ctx, part, err)
		}
		r.batch.close(part, found.Offsets)
		r.batch.deliver(part, nil, size)
		return nil
	}
	r.batch.close(part, found.Offsets)
	r.batch.deliver(part, r.copies.of(&record), size)
	return nil
}

// reject notes a record that was not accepted. What a command does not accept
// stays outstanding, and the others go on; anything else ends the replay.
func (r *replay) reject(ctx context.Context, part *replayPart, err error) error {
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), r.flush(ctx))
	}
	if r.op.Exec == "" {
		return err
	}
	if part.failed == nil {
		part.failed = err
	}
	return r.hold.Err()
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
	if wait > replayTime/10 || time.Since(r.batch.since) > replayTime {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	select {
	case <-time.After(time.Until(due)):
		return nil
	case <-r.hold.Lost():
		return r.hold.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
