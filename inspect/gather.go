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
	p := newPatience(ctx, &q)
	found, err := findAllGroups(ctx, store, &q, p)
	if err != nil {
		return Snapshot{}, err
	}
	groups, natives := found.groups, found.natives
	s.Incomplete = found.incomplete
	s.note(found.notices...)
	if q.Each == nil {
		s.Groups = s.completeAll(ctx, store, natives, groups, &q, p)
		return s, nil
	}
	for n := groupsAtFirst; len(groups) > 0; {
		n = min(n, len(groups))
		part := s.completeAll(ctx, store, natives, groups[:n], &q, p)
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

// complete reads the groups, and returns those that q asks for.
func (s *Snapshot) complete(ctx context.Context, store *gapstore.Store, natives *gapstore.Natives, groups []*Group, q *Query) []Group {
	var described map[string]description
	var work sync.WaitGroup
	work.Go(func() { described = describeGroups(ctx, store, groups) })
	s.note(loadEntries(ctx, store, natives, groups, q)...)
	work.Wait()
	var kept []Group
	for _, g := range groups {
		g.adopt(described[g.Name])
		if len(g.Partitions) > 0 && errors.Is(g.Err, gapstore.ErrNotFound) {
			g.Err = nil
		}
		if q.keeps(g) {
			g.partial = s.Selection.partial()
			kept = append(kept, *g)
		}
		*g = Group{} // its partitions are elsewhere now, if anywhere
	}
	topics, err := findLogs(ctx, store, kept)
	inParallel(len(kept), func(i int) {
		g := &kept[i]
		g.setLogs(topics, err)
		judge(g) // no finding is about ages
	})
	if err == nil && !q.SkipAges {
		s.note(gatherAges(ctx, store, topics, kept)...)
	}
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
func loadEntries(ctx context.Context, store *gapstore.Store, natives *gapstore.Natives, groups []*Group, q *Query) []string {
	var refs []gapstore.Ref
	var into []*Group
	for _, g := range groups {
		if g.Err == nil || errors.Is(g.Err, gapstore.ErrNotFound) { // native commits outlive their group
			refs = append(refs, gapstore.Ref{Group: g.Name, Share: g.Type == "share"})
			into = append(into, g)
		}
	}
	loaded, notices := store.LoadWith(ctx, natives, refs, q.Topics.Match)
	inParallel(len(loaded), func(i int) { into[i].fill(&loaded[i], q.Formats) })
	return notices
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
