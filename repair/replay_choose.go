package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// Choice narrows a replay to single records, which have to be read to be known.
type Choice struct {
	Query inspect.RecordQuery
	// Limit is the most records, in the replay's order; 0: all.
	Limit int64
	// MaxReplays leaves out records that were replayed that often before; 0:
	// none.
	MaxReplays int64
}

// Given reports whether c narrows anything.
func (c *Choice) Given() bool { return !c.Query.Keys.All() || c.Limit > 0 || c.MaxReplays > 0 }

// Chosen is what a [Choice] came to.
type Chosen struct {
	Only    []Target
	Records int64
	// Worn is the number of records that were replayed too often.
	Worn int64
}

// Choose reads the records that c asks for and names them. It writes nothing.
func (c *Choice) Choose(ctx context.Context, store *gapstore.Store, g *inspect.Group) (Chosen, error) {
	var chosen Chosen
	ranges := map[place][]codec.Range{}
	for found, err := range inspect.ReadRecords(ctx, store, g, c.Query) {
		switch {
		case err != nil:
			return Chosen{}, err
		case found.Record == nil:
			continue
		case c.MaxReplays > 0 && replays(found.Record.Record) >= c.MaxReplays:
			chosen.Worn++
			continue
		}
		at := place{found.At.Topic, found.At.Partition}
		ranges[at] = appendOffsets(ranges[at], found.At.Offsets)
		if chosen.Records++; chosen.Records == c.Limit {
			break
		}
	}
	for at, rs := range ranges {
		chosen.Only = append(chosen.Only, Target{at.topic, at.partition, codec.NewRanges(rs...)})
	}
	chosen.Only = joinTargets(chosen.Only)
	return chosen, nil
}

// appendOffsets joins r to the last range where it touches: offsets come one
// by one, and there may be millions.
func appendOffsets(rs []codec.Range, r codec.Range) []codec.Range {
	if n := len(rs); n > 0 && rs[n-1].End == r.Start {
		rs[n-1].End = r.End
		return rs
	}
	return append(rs, r)
}

// DeadLetters reads a dead-letter topic (KIP-1191), and is the records of the
// group that its records stand for, as far as their headers say.
func DeadLetters(ctx context.Context, store *gapstore.Store, topic, group string) ([]Target, error) {
	topics, err := store.Topics(ctx, []string{topic})
	if err == nil {
		err = topics[topic].Err
	}
	if err != nil {
		return nil, err
	}
	var all []gapstore.Target
	for p := range topics[topic].Logs {
		all = append(all, gapstore.Target{Topic: topic, Partition: int32(p), Ranges: codec.NewRanges(codec.Range{End: 1<<63 - 1})})
	}
	ranges := map[place][]codec.Range{}
	seen, foreign := 0, 0
	for found, err := range store.ReadRecords(ctx, all, gapstore.ReadOptions{}) {
		if err != nil {
			return nil, err
		}
		if found.Record == nil {
			continue
		}
		seen++
		of, at, ok := originOf(found.Record)
		if !ok || of != group {
			foreign++
			continue
		}
		key := place{at.Topic, at.Partition}
		ranges[key] = append(ranges[key], at.Ranges.First())
	}
	if seen == foreign {
		return nil, fmt.Errorf("none of the %d records of %s says that it is of group %s: %w", seen, topic, group, errors.ErrUnsupported)
	}
	var targets []Target
	for at, rs := range ranges {
		targets = append(targets, Target{at.topic, at.partition, codec.NewRanges(rs...)})
	}
	return joinTargets(targets), nil
}

// source is the offsets of p that r is about, before it chooses.
func (r Replay) source(p *inspect.Partition) codec.Ranges {
	if r.Rejected {
		return codec.Rejected(p.State)
	}
	return p.State.Gaps
}

// Within is the part of targets that r is about: the rest is done, by now or
// for ever, and no matter of a replay.
func (r Replay) Within(g *inspect.Group, targets []Target) []Target {
	var left []Target
	for i := range g.Partitions {
		p := &g.Partitions[i]
		t := targetOf(p)
		if t.Ranges = rangesAt(targets, t).Intersect(r.source(p)); !t.Ranges.Empty() {
			left = append(left, t)
		}
	}
	return left
}

// Gone is how many offsets of targets their logs do not hold any more.
func Gone(g *inspect.Group, targets []Target) int64 {
	var gone int64
	for i := range g.Partitions {
		p := &g.Partitions[i]
		gone += rangesAt(targets, targetOf(p)).Intersect(below(max(0, p.LogStart))).Count()
	}
	return gone
}

// CheckTarget is nil when the copies of a replay can go to its topic: it is
// there, and has a partition for each that is replayed.
func (r Replay) CheckTarget(ctx context.Context, store *gapstore.Store, g *inspect.Group) error {
	if r.ToTopic == "" {
		return nil
	}
	topics, err := store.Topics(ctx, []string{r.ToTopic})
	if err == nil {
		err = topics[r.ToTopic].Err
	}
	if err != nil {
		return err
	}
	if r.Repartition {
		return nil
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		at := targetOf(p)
		if n := len(topics[r.ToTopic].Logs); int(p.Partition) >= n && !r.chosen(at, r.source(p)).Empty() {
			return fmt.Errorf("%w: %s has %s, so the records of %s have no partition of the same number; --repartition goes by their keys", ErrRefused, r.ToTopic, plural(int64(n), "partition", "partitions"), at)
		}
	}
	return nil
}
