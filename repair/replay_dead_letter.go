package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// DeadLetters reads a dead-letter topic (KIP-1191) and names the records of the
// group that its records are copies of, as far as their headers say. Where none
// of them says so of the group, that is errors.ErrUnsupported.
func DeadLetters(ctx context.Context, store *gapstore.Store, topic, group string) ([]Target, error) {
	partitions, err := partitionsOf(ctx, store, topic)
	if err != nil {
		return nil, err
	}
	var all []gapstore.Target
	for p := range partitions {
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
	return targetsIn(ranges), nil
}

// originOf is the record that a record of a dead-letter topic stands for, and
// the group that gave it up; false when its headers do not say.
func originOf(r *kgo.Record) (group string, at gapstore.Target, ok bool) {
	o, ok := gapstore.OriginOf(r)
	if !ok {
		return "", gapstore.Target{}, false
	}
	at = gapstore.Target{Topic: o.Topic, Partition: o.Partition, Ranges: codec.NewRanges(codec.Range{Start: o.Offset, End: o.Offset + 1})}
	return o.Group, at, true
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
