package inspect

import (
	"context"
	"iter"
	"sort"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// RecordState is what a group's commit says of a record.
type RecordState string

// The states.
const (
	RecordOutstanding RecordState = "outstanding" // in a gap
	RecordRejected    RecordState = "rejected"    // archived by a share group
	RecordDone        RecordState = "done"        // committed
)

// Record is one record, as a group sees it.
type Record struct {
	*kgo.Record
	Group string
	State RecordState
	// Deliveries is how often a share group has delivered it; -1 when not
	// known, or no share group.
	Deliveries int
}

// Size is the bytes of key, value and headers together.
func (r *Record) Size() int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// RecordQuery says which records of a group to read.
type RecordQuery struct {
	States []RecordState // which; empty: outstanding
	// Only keeps these offsets of these partitions; empty: all.
	Only []gapstore.Target
	Keys KeyFilter
	// AllPartitions reads also partitions that, by the partitioner, hold none
	// of the keys.
	AllPartitions bool
	Order         gapstore.Order
}

// Offsets are those of p whose records q asks for, as far as the commit tells.
func (q *RecordQuery) Offsets(p *Partition) codec.Ranges {
	if !p.HasState() {
		return codec.Ranges{}
	}
	var all codec.Ranges
	states := q.States
	if len(states) == 0 {
		states = []RecordState{RecordOutstanding}
	}
	for _, state := range states {
		all = all.Union(p.offsetsIn(state))
	}
	if len(q.Only) == 0 {
		return all
	}
	var only codec.Ranges
	for _, t := range q.Only {
		if t.Topic == p.Topic && t.Partition == p.Partition {
			only = only.Union(t.Ranges)
		}
	}
	return all.Intersect(only)
}

func (p *Partition) offsetsIn(state RecordState) codec.Ranges {
	switch state {
	case RecordOutstanding:
		return p.State.Gaps
	case RecordRejected:
		return codec.Rejected(p.State)
	}
	return span(max(0, p.LogStart), p.State.Max).Sub(p.State.Gaps).Sub(codec.Rejected(p.State))
}

// stateOf is what the commit says of the record at offset.
func (p *Partition) stateOf(offset int64) RecordState {
	switch d := p.deliveryOf(offset); {
	case d != nil && d.State == codec.Archived:
		return RecordRejected
	case p.State.Gaps.Contains(offset):
		return RecordOutstanding
	}
	return RecordDone
}

// deliveryOf is what a share group keeps of offset, or nil.
func (p *Partition) deliveryOf(offset int64) *codec.Delivery {
	all := p.State.Delivery
	if i := sort.Search(len(all), func(i int) bool { return all[i].End > offset }); i < len(all) && all[i].Contains(offset) {
		return &all[i]
	}
	return nil
}

// newRecord is r as the group of p sees it.
func (p *Partition) newRecord(r *kgo.Record) Record {
	record := Record{Record: r, Group: p.Group, State: p.stateOf(r.Offset), Deliveries: -1}
	if d := p.deliveryOf(r.Offset); d != nil && d.State != codec.Unknown {
		record.Deliveries = int(d.Count)
	}
	return record
}

// Targets are what to read of g: the ranges of [RecordQuery.Offsets]. A partition that the keys rule out is not
// among them, unless the topics can not be asked for.
func (q *RecordQuery) Targets(ctx context.Context, store *gapstore.Store, g *Group) []gapstore.Target {
	var names []string
	seen := map[string]bool{}
	for i := range g.Partitions {
		if name := g.Partitions[i].Topic; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	var topics map[string]*gapstore.Topic
	if len(q.Keys.Keys) > 0 && !q.AllPartitions {
		topics, _ = store.Topics(ctx, names) // reading the logs will tell the error
	}
	var targets []gapstore.Target
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if topic := topics[p.Topic]; topic != nil && !q.Keys.canHold(p.Partition, int32(len(topic.Logs))) {
			continue
		}
		if offsets := q.Offsets(p); !offsets.Empty() && p.LogEnd >= 0 {
			targets = append(targets, gapstore.Target{Topic: p.Topic, Partition: p.Partition, Ranges: offsets})
		}
	}
	return targets
}

// Found is a piece of what was asked for: a record, or without one, offsets
// that hold none.
type Found struct {
	Record *Record
	At     gapstore.Found
}

// ReadRecords reads what q asks for of g. The errors are those of
// [gapstore.Store.ReadRecords]. Records that the keys rule out are left out.
func ReadRecords(ctx context.Context, store *gapstore.Store, g *Group, q RecordQuery) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		at := map[place]*Partition{}
		for i := range g.Partitions {
			p := &g.Partitions[i]
			at[p.place()] = p
		}
		for found, err := range store.ReadRecords(ctx, q.Targets(ctx, store, g), gapstore.ReadOptions{Order: q.Order}) {
			out := Found{At: found}
			if found.Record != nil {
				if !q.Keys.Match(found.Record) {
					continue
				}
				record := at[place{found.Topic, found.Partition}].newRecord(found.Record)
				out.Record = &record
			}
			if !yield(out, err) {
				return
			}
		}
	}
}
