package repair

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// Plan is what a repair of one group would do. It is a value; only [NewPlan]
// and [ReadPlan] make one.
type Plan struct {
	ClusterID string
	Group     string
	Op        Op
	TakenAt   time.Time // when the snapshot was taken, to the millisecond
	Changes   []Change  // sorted by topic, then partition
	Refusals  []Refusal // sorted likewise
	// Warnings say what nobody may expect who does not know Kafka well.
	Warnings []string
}

// Change is one partition's commit, before and after.
type Change struct {
	Topic     string
	Partition int32
	TopicID   [16]byte // zero where the cluster does not tell
	Before    Commit
	After     Commit
	// Copies is the number of offsets whose records are delivered again.
	Copies int64
	// Skips is how many records that the log holds were outstanding before
	// and are not any more; Reprocesses is how many were done and will be
	// processed again.
	Skips, Reprocesses int64
	// Why says what changes, in words.
	Why string
}

// Refusal is a partition that is left alone although the op asks for it.
type Refusal struct {
	Topic     string
	Partition int32
	Message   string
}

// Target names the change's partition.
func (c Change) Target() Target { return Target{Topic: c.Topic, Partition: c.Partition} }

// Target names the refused partition.
func (r Refusal) Target() Target { return Target{Topic: r.Topic, Partition: r.Partition} }

// ErrRefused is the class of a repair that would not be safe, whatever the
// state of its partitions; nothing was written.
var ErrRefused = errors.New("refused")

// NewPlan plans op on the one group of s. It is pure: the same snapshot and op
// give the same plan. Partitions that op must leave alone are refusals of the
// plan; the error is for what no plan can be made of.
func NewPlan(s inspect.Snapshot, op Op) (Plan, error) {
	if len(s.Groups) != 1 {
		return Plan{}, fmt.Errorf("a plan is for one group, not for %d", len(s.Groups))
	}
	g := &s.Groups[0]
	if g.Err != nil {
		return Plan{}, g.Err
	}
	if c, ok := op.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return Plan{}, fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	p := Plan{ClusterID: s.ClusterID, Group: g.Name, Op: op, TakenAt: s.TakenAt.UTC().Truncate(time.Millisecond)}
	if g.Type == "share" {
		return newSharePlan(p, g, op)
	}
	p.addAll(g)
	p.refuseMissing(g)
	p.warn(g)
	return p, nil
}

// addAll plans the partitions, on all processors: each may have thousands of
// gaps to write.
func (p *Plan) addAll(g *inspect.Group) {
	changes, errs := make([]*Change, len(g.Partitions)), make([]error, len(g.Partitions))
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(g.Partitions)) {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(g.Partitions)); i = next.Add(1) - 1 {
				changes[i], errs[i] = p.change(g, &g.Partitions[i])
			}
		})
	}
	work.Wait()
	for i, c := range changes {
		switch part := &g.Partitions[i]; {
		case errs[i] != nil:
			p.Refusals = append(p.Refusals, Refusal{part.Topic, part.Partition, errs[i].Error()})
		case c != nil:
			p.Changes = append(p.Changes, *c)
		}
	}
}

// change is what the op changes in one partition; nil: nothing.
func (p *Plan) change(g *inspect.Group, part *inspect.Partition) (*Change, error) {
	if together(p.Op) {
		part = steady(part)
	}
	if err := reachable(part); err != nil && !(uncommitted(part) && p.mayCreate()) {
		return nil, err
	}
	proposed, err := p.Op.propose(g, part)
	if err == nil {
		proposed.after, err = proposed.after.written(nativeID(p.Group, part), p.TakenAt)
	}
	if err != nil {
		return nil, err
	}
	before := commitOf(part)
	unchanged := before.same(proposed.after)
	if reset, ok := p.Op.(Reset); ok && unchanged && !reset.asks(part) {
		return nil, nil
	}
	if err := before.unseen(g, proposed.after); err != nil || unchanged {
		return nil, err
	}
	c := &Change{
		Topic: part.Topic, Partition: part.Partition, TopicID: part.TopicID,
		Before: before, After: proposed.after, Why: proposed.why,
	}
	c.count(part)
	if _, ok := p.Op.(Replay); ok { // delivered, and not skipped
		c.Copies, c.Skips = c.Skips, 0
	}
	return c, nil
}

// count compares what is done before and after, among the records that a
// consumer could get.
func (c *Change) count(p *inspect.Partition) {
	before, after := c.Before.completed(), c.After.completed()
	inLog := codec.Range{Start: p.LogStart, End: p.LogEnd}
	real := func(offsets codec.Ranges) int64 { return offsets.Clip(inLog).Sub(p.Phantoms).Count() }
	c.Skips, c.Reprocesses = real(after.Sub(before)), real(before.Sub(after))
}

// refuseMissing refuses the partitions that the op names and g does not have.
func (p *Plan) refuseMissing(g *inspect.Group) {
	there := placesOf(g)
	for _, t := range p.Op.Targets() {
		if at := t.place(); !there[at] {
			there[at] = true // once
			p.Refusals = append(p.Refusals, Refusal{t.Topic, t.Partition, "the group has no commit for it"})
		}
	}
	slices.SortFunc(p.Refusals, func(a, b Refusal) int { return compareTargets(a.Target(), b.Target()) })
}

// Atomic reports whether all changes fit one commit of a coordinator with
// Kafka's default limits. Otherwise they are written in several, each of them
// as a whole, and what follows a failure is not attempted.
func (p Plan) Atomic() bool {
	const batch, overhead = 1_048_588, 128 // of a record: its head, offset, times and topic ID
	size := 0
	for _, c := range p.Changes {
		size += overhead + len(p.Group) + 2*len(c.Topic) + len(c.After.Metadata)
	}
	return size <= batch
}

// Empty reports whether the plan changes nothing.
func (p Plan) Empty() bool { return len(p.Changes) == 0 }

// parts are the partitions that change, by topic.
func (p Plan) parts() map[string][]int32 {
	parts := map[string][]int32{}
	for _, c := range p.Changes {
		parts[c.Topic] = append(parts[c.Topic], c.Partition)
	}
	return parts
}
