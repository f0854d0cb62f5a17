package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// usualDeliveryLimit is Kafka's own (share.delivery.count.limit), where the
// group's is not known.
const usualDeliveryLimit = 5

// ShareSkip gets a share group, which may be at work, past single records: as a
// member that acquires them, accepts exactly these, and releases what it had to
// acquire on the way. Each of those counts one delivery more.
type ShareSkip struct {
	Only []Target `json:"only"`
}

// Name is "share-skip".
func (ShareSkip) Name() string { return "share-skip" }

// Targets are the records to skip.
func (k ShareSkip) Targets() []Target { return k.Only }

func (ShareSkip) propose(*inspect.Group, *inspect.Partition) (proposal, error) {
	return proposal{}, ErrRefused // of share groups alone
}

func (k ShareSkip) proposeShare(g *inspect.Group, p *inspect.Partition) (Change, error) {
	wanted := rangesAt(k.Only, targetOf(p))
	if wanted.Empty() {
		return Change{}, nil
	}
	skips, others, err := reach(g, p, wanted)
	if err != nil {
		return Change{}, err
	}
	now := shareCommitOf(p.Entry)
	why := fmt.Sprintf("accepts %s as a member of the group", skips)
	if n := others.Count(); n > 0 {
		why += fmt.Sprintf("; up to %s before it count one delivery more", plural(n, "record", "records"))
	}
	return Change{
		Topic: p.Topic, Partition: p.Partition, TopicID: p.TopicID, Before: now, After: now, Skips: skips.Count(), Why: why,
	}, nil
}

// reach is what of wanted can be skipped, and what comes before it and has to
// be acquired on the way. Where that could be the last delivery of a record, or
// of one that a broker might hand out with it, it is an error.
func reach(g *inspect.Group, p *inspect.Partition, wanted codec.Ranges) (skips, others codec.Ranges, err error) {
	inLog := codec.NewRanges(codec.Range{Start: max(p.LogStart, p.Committed), End: p.LogEnd})
	open := inLog.Sub(terminal(p))
	if skips = wanted.Intersect(open); skips.Empty() {
		return skips, others, fmt.Errorf("%s is done, or not in the log", wanted)
	}
	limit := g.DeliveryLimit
	if limit <= 0 {
		limit = usualDeliveryLimit
	}
	for _, d := range p.State.Delivery {
		worn := open.Sub(skips).Clip(d.Range)
		if d.State == codec.Available && int(d.Count) >= limit-1 && !worn.Empty() {
			return skips, others, fmt.Errorf("%s might be acquired on the way, and has been delivered %d times: once more, and the broker gives it up; skip it as well, or wait until it is done", worn, d.Count)
		}
	}
	return skips, open.Sub(skips).Clip(codec.Range{End: skips.Bounds().End}), nil
}

func (k ShareSkip) run(ctx context.Context, s *session, todo []Change) error {
	targets, err := k.locate(ctx, s, todo)
	if err != nil {
		s.result.setAll(todo, Failed, err)
		return err
	}
	settled, err := gapstore.AcceptShared(ctx, s.applier.Dial, s.plan.Group, targets)
	if err != nil {
		s.result.setAll(todo, Failed, err)
		return err
	}
	for i, done := range settled {
		status, err := Applied, error(nil)
		if want := targets[i].Ranges.Count(); done.Accepted.Count() < want {
			status, err = Failed, incompleteSkip(done, want)
		}
		s.result.set(Target{Topic: done.Topic, Partition: done.Partition}, status, err)
	}
	s.noteSkips(ctx, targets)
	for _, c := range todo {
		if err := s.result.outcome(c.Target()).Err; err != nil {
			return err
		}
	}
	return nil
}

// incompleteSkip says how many of the records that were wanted are accepted.
// Nothing takes these back.
func incompleteSkip(done gapstore.ShareSettled, want int64) error {
	why := done.Err
	if why == nil {
		why = errors.New("another member may have the others in hand, or they lie too far ahead")
	}
	return fmt.Errorf("%w: accepted %d of %d records: %w", ErrIncomplete, done.Accepted.Count(), want, why)
}

// noteSkips puts what stands into the outcomes of what was accepted, as far as
// it can be read, also after ctx has ended. Where all is accepted although an
// answer was lost, it is applied.
func (s *session) noteSkips(ctx context.Context, targets []gapstore.ShareTarget) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.applier.settling())
	defer cancel()
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return
	}
	defer store.Close()
	loaded, _ := store.Load(ctx, []gapstore.Ref{{Group: s.plan.Group, Share: true}}, nil)
	for i := range loaded[0].Entries {
		e := &loaded[0].Entries[i]
		at := slices.IndexFunc(targets, func(t gapstore.ShareTarget) bool { return t.Topic == e.Topic && t.Partition == e.Partition })
		if at < 0 || !e.HasState() {
			continue
		}
		o := s.result.outcome(Target{Topic: e.Topic, Partition: e.Partition})
		if o.Status == Failed && targets[at].Ranges.Sub(accepted(e)).Empty() {
			o.Status, o.Err = Applied, nil
		}
		if o.Status == Applied {
			o.After = shareCommitOf(e)
			o.After.State, o.After.Err = e.State, nil
		}
	}
}

// accepted are the offsets of e that consumers of the share group have accepted,
// or that its start has passed.
func accepted(e *gapstore.Entry) codec.Ranges {
	all := below(e.Committed)
	for _, d := range e.State.Delivery {
		if d.State == codec.Acknowledged {
			all = all.Union(codec.NewRanges(d.Range))
		}
	}
	return all
}

// locate looks again where the records are: the group may be at work.
func (k ShareSkip) locate(ctx context.Context, s *session, todo []Change) ([]gapstore.ShareTarget, error) {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	g, err := s.gatherShare(ctx, store)
	if err != nil {
		return nil, err
	}
	var targets []gapstore.ShareTarget
	for _, c := range todo {
		i := slices.IndexFunc(g.Partitions, func(p inspect.Partition) bool { return p.Topic == c.Topic && p.Partition == c.Partition })
		if i < 0 {
			return nil, fmt.Errorf("%w: %s is not a partition of the group any more", gapstore.ErrConflict, c.Target())
		}
		skips, others, err := reach(g, &g.Partitions[i], rangesAt(k.Only, c.Target()))
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", gapstore.ErrConflict, c.Target(), err)
		}
		t := gapstore.Target{Topic: c.Topic, Partition: c.Partition, Ranges: skips}
		targets = append(targets, gapstore.ShareTarget{Target: t, Most: skips.Count() + others.Count()})
	}
	return targets, nil
}
