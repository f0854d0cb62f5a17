package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// ShareReplay copies the records that a share group has given up to a topic. It
// changes nothing about the group: nothing can bring such a record back. Up to
// shareCopies records are one transaction, so that a replay that is killed has
// copied nothing; but one that is run again copies them again.
type ShareReplay struct {
	Replay
}

// shareCopies is how many records one transaction copies.
const shareCopies = 100_000

// Name is "share-replay".
func (ShareReplay) Name() string { return "share-replay" }

func (r ShareReplay) rejected(p *inspect.Partition) codec.Ranges {
	at := targetOf(p)
	return r.chosen(at, codec.Rejected(p.State)).Clip(codec.Range{Start: p.LogStart, End: p.LastStable})
}

func (r ShareReplay) proposeShare(_ *inspect.Group, p *inspect.Partition) (Change, error) {
	if r.ToTopic == "" {
		return Change{}, errors.New("rejected records go to a topic: --to-topic; gapctl records --rejected shows them")
	}
	chosen := r.rejected(p)
	if chosen.Empty() {
		return Change{}, nil
	}
	now := shareCommitOf(p.Entry)
	return Change{
		Topic: p.Topic, Partition: p.Partition, TopicID: p.TopicID, Before: now, After: now, Copies: chosen.Count(),
		Why: fmt.Sprintf("copies %s to %s; the group stays as it is, so that another replay copies them again", shown(chosen), r.ToTopic),
	}, nil
}

// run reads what is rejected now: a record that is stays so.
func (r ShareReplay) run(ctx context.Context, s *session, todo []Change) error {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	g, err := s.gatherShare(ctx, store)
	if err != nil {
		return s.refuse(err)
	}
	copier, err := gapstore.OpenCopier(s.applier.Dial, s.plan.Group)
	if err != nil {
		return err
	}
	defer copier.Close()
	c := &shareCopying{session: s, todo: todo, copier: copier, open: map[place]int64{}}
	return c.conclude(r.copy(ctx, c, store, g))
}

// shareCopying is the copying of records that a share group has rejected, one
// transaction after the other.
type shareCopying struct {
	session *session
	todo    []Change
	copier  *gapstore.Copier
	open    map[place]int64 // copies in the transaction that is open
}

func (r ShareReplay) copy(ctx context.Context, c *shareCopying, store *gapstore.Store, g *inspect.Group) error {
	q := inspect.RecordQuery{States: []inspect.RecordState{inspect.RecordRejected}, Order: r.order()}
	for _, change := range c.todo {
		all := codec.NewRanges(codec.Range{End: 1<<63 - 1})
		q.Only = append(q.Only, gapstore.Target{Topic: change.Topic, Partition: change.Partition, Ranges: r.chosen(change.Target(), all)})
	}
	copies, err := newCopies(ctx, store, r.Replay)
	if err != nil {
		return err
	}
	if err := c.copier.Begin(); err != nil {
		return err
	}
	n := 0
	for found, err := range inspect.ReadRecords(ctx, store, g, q) {
		if err != nil {
			return err
		}
		if found.Record == nil {
			continue
		}
		c.copier.Produce(ctx, copies.of(found.Record))
		c.open[place{found.At.Topic, found.At.Partition}]++
		if n++; n%shareCopies > 0 {
			continue
		}
		if err := c.commit(ctx); err != nil {
			return err
		}
		if err := c.copier.Begin(); err != nil {
			return err
		}
	}
	return c.commit(ctx)
}

// commit ends the open transaction.
func (c *shareCopying) commit(ctx context.Context) error {
	if err := c.copier.Commit(ctx); err != nil {
		return err
	}
	for _, change := range c.todo {
		c.session.result.outcome(change.Target()).Copied += c.open[change.Target().place()]
	}
	clear(c.open)
	return nil
}

// conclude gives each partition its outcome, and is the first error. A record
// that the plan counted may be gone since: the start of the group has passed it,
// or retention has removed it.
func (c *shareCopying) conclude(failure error) error {
	first := failure
	for _, change := range c.todo {
		o := c.session.result.outcome(change.Target())
		switch {
		case errors.Is(failure, gapstore.ErrUnknownOutcome):
			o.Status, o.Err = Unverified, failure
		case failure != nil:
			o.Status, o.Err = Failed, failure
		case o.Copied < change.Copies:
			o.Status, o.Err = Failed, fmt.Errorf("copied %d of %d records: the others are not rejected any more, or not in the log", o.Copied, change.Copies)
		default:
			o.Status = Applied
		}
		if first == nil {
			first = o.Err
		}
	}
	return first
}
