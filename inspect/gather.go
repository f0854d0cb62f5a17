package inspect

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// Gather reads what q asks for. The result is complete: what could not be read
// is there with its error. An error means that nothing could be read at all, or
// that q means nothing.
func Gather(ctx context.Context, store *gapstore.Store, q Query) (Snapshot, error) {
	if err := q.check(); err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{ClusterID: store.ClusterID(), TakenAt: time.Now(), Selection: q.selection()}
	g := &gathering{store: store, query: &q, patience: newPatience(ctx, &q), into: &s}
	groups, err := g.findAllGroups(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	if q.Each == nil {
		s.Groups = g.completeAll(ctx, groups)
		return s, nil
	}
	for n := groupsAtFirst; len(groups) > 0; {
		n = min(n, len(groups))
		part := g.completeAll(ctx, groups[:n])
		groups = groups[n:]
		partitions := 0
		for i := range part {
			partitions += len(part[i].Partitions)
			q.Each(&part[i])
		}
		n = max(1, n*partitionsAtOnce/max(partitions, partitionsAtOnce/8))
	}
	return s, nil
}

// How many are gathered at once when they are not kept. A round costs a few
// requests, and a partition about a kilobyte.
const (
	groupsAtFirst    = 16
	partitionsAtOnce = 50_000
)

// gathering is a snapshot that is being taken.
type gathering struct {
	store    *gapstore.Store
	query    *Query
	patience *patience
	natives  *gapstore.Natives // the native commits, where they had to be read to find groups
	into     *Snapshot         // all but its groups
}

// complete reads the groups, and returns those that the query asks for.
func (g *gathering) complete(ctx context.Context, groups []*Group) []Group {
	var described map[string]description
	var work sync.WaitGroup
	work.Go(func() { described = describeGroups(ctx, g.store, groups) })
	g.loadEntries(ctx, groups)
	work.Wait()
	var kept []Group
	for _, group := range groups {
		group.adopt(described[group.Name])
		if len(group.Partitions) > 0 && errors.Is(group.Err, gapstore.ErrNotFound) {
			group.Err = nil
		}
		if g.query.keeps(group) {
			group.partial = g.into.Selection.partial()
			kept = append(kept, *group)
		}
		*group = Group{} // its partitions are elsewhere now, if anywhere
	}
	topics, err := findLogs(ctx, g.store, kept)
	inParallel(len(kept), func(i int) {
		kept[i].setLogs(topics, err)
		kept[i].moving = kept[i].moves()
	})
	work.Go(func() { // no finding is about ages
		inParallel(len(kept), func(i int) { judge(&kept[i]) })
	})
	if err == nil && !g.query.SkipAges {
		g.into.note(gatherAges(ctx, g.store, topics, kept)...)
	}
	work.Wait()
	return kept
}

// note adds notices, each of which is told once.
func (s *Snapshot) note(notices ...string) {
	for _, notice := range notices {
		if !slices.Contains(s.Notices, notice) {
			s.Notices = append(s.Notices, notice)
		}
	}
}

// loadEntries fills in what the groups have committed.
func (g *gathering) loadEntries(ctx context.Context, groups []*Group) {
	var refs []gapstore.Ref
	var into []*Group
	for _, group := range groups {
		if group.Err == nil || errors.Is(group.Err, gapstore.ErrNotFound) { // native commits outlive their group
			refs = append(refs, gapstore.Ref{Group: group.Name, Share: group.Type == "share"})
			into = append(into, group)
		}
	}
	loaded, notices := g.store.LoadWith(ctx, g.natives, refs, g.query.Topics.Match)
	inParallel(len(loaded), func(i int) { into[i].fill(&loaded[i], g.query.Formats) })
	g.into.note(notices...)
}

// fill fills in what the group has committed in those formats (none: any), and
// takes them over from l.
func (g *Group) fill(l *gapstore.Loaded, formats []string) {
	g.DeliveryLimit, g.Unseen = l.DeliveryLimit, l.Unseen
	if l.Err != nil {
		g.Err = l.Err
	}
	g.Partitions = make([]Partition, 0, len(l.Entries))
	for k := range l.Entries {
		e := &l.Entries[k]
		if len(formats) > 0 && !slices.Contains(formats, e.Format) {
			continue
		}
		g.Partitions = append(g.Partitions, Partition{
			Entry: e, LogStart: unknown, LogEnd: unknown, LastStable: unknown, LogEpoch: -1, heldGap: unknown,
		})
	}
	l.Entries = nil
}
