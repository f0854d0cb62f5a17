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
	at := Target{Topic: p.Topic, Partition: p.Partition}
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
	standing := shareStanding(&p.Entry)
	return Change{
		Topic: p.Topic, Partition: p.Partition, TopicID: p.TopicID, Before: standing, After: standing, Copies: chosen.Count(),
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
	snapshot, err := inspect.Gather(ctx, store, inspect.Query{Groups: []string{s.plan.Group}, SkipAges: true})
	if err != nil {
		return err
	}
	copier, err := gapstore.OpenCopier(s.applier.Dial, s.plan.Group)
	if err != nil {
		return err
	}
	defer copier.Close()
	return r.copy(ctx, s, todo, store, &snapshot.Groups[0], copier)
}

func (r ShareReplay) copy(ctx context.Context, s *session, todo []Change, store *gapstore.Store, g *inspect.Group, copier *gapstore.Copier) error {
	q := inspect.RecordQuery{States: []inspect.RecordState{inspect.RecordRejected}, Order: r.order()}
	for _, c := range todo {
		only := codec.NewRanges(codec.Range{End: 1<<63 - 1})
		q.Only = append(q.Only, gapstore.Target{Topic: c.Topic, Partition: c.Partition, Ranges: r.chosen(c.Target(), only)})
	}
	n, copied := int64(0), map[place]int64{}
	copies, err := newCopies(ctx, store, r.Replay)
	if err != nil {
		return err
	}
	end := func() error {
		err := copier.Commit(ctx)
		for _, c := range todo {
			if err == nil {
				s.result.outcome(c.Target()).Copied += copied[c.Target().place()]
			}
		}
		clear(copied)
		return err
	}
	err = copier.Begin()
	for found, failed := range inspect.ReadRecords(ctx, store, g, q) {
		if err = errors.Join(err, failed); err != nil {
			break
		}
		if found.Record == nil {
			continue
		}
		copier.Produce(ctx, copies.of(found.Record))
		copied[place{found.At.Topic, found.At.Partition}]++
		if n++; n%shareCopies == 0 {
			if err = end(); err == nil {
				err = copier.Begin()
			}
		}
	}
	if err == nil {
		err = end()
	}
	if err != nil {
		s.result.setAll(todo, Failed, err)
		return err
	}
	s.result.setAll(todo, Applied, nil)
	return nil
}
