package inspect

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// patience is how long it is worth to ask again for what a cluster does not
// tell while it moves: a broker that is gone is still named for some seconds
// (broker.session.timeout.ms), and what it led and coordinated then comes up
// elsewhere, or it comes back. A third of the time is left for all else, so that
// what can be read is told in any case.
type patience struct {
	until, deadline time.Time
	begun           time.Time // the try under way
	tries, late     int
}

const (
	firstPause = 100 * time.Millisecond
	mostPause  = time.Second
	// lateTries are those after the time is over, of what takes no time: the
	// client may have asked the broker that is down where another one is.
	lateTries = 3
)

func newPatience(ctx context.Context, q *Query) *patience {
	p := &patience{begun: time.Now()}
	if deadline, ok := ctx.Deadline(); ok && !q.AtOnce {
		p.until, p.deadline = p.begun.Add(deadline.Sub(p.begun)*2/3), deadline
	}
	return p
}

// again waits before the next try; false when no more of them are worth it,
// supposing that it takes as long as the one that has ended. A vital one, without
// which there is nothing to tell, is also worth it when the time is over.
func (p *patience) again(ctx context.Context, vital bool) bool {
	now := time.Now()
	took, rest := now.Sub(p.begun), min(firstPause<<min(p.tries, 10), mostPause)
	if p.tries++; now.Add(rest + took).After(p.until) {
		rest = firstPause
		if p.late++; !vital || p.late > lateTries || took > p.deadline.Sub(now)/8 {
			return false
		}
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rest):
		p.begun = time.Now()
		return true
	}
}

// findAllGroups is findGroups, again while brokers do not tell theirs.
func findAllGroups(ctx context.Context, store *gapstore.Store, q *Query, p *patience) (all listing, err error) {
	known := false
	for {
		l, why := findGroups(ctx, store, q)
		switch {
		case why == nil:
			all, known, err = l, true, nil
			why = l.moving(q)
		case !known:
			err = why
		}
		if !errors.Is(why, gapstore.ErrUnavailable) || !p.again(ctx, !known) {
			return all, err
		}
	}
}

// moving is why not all is found that q asks for; nil when it is.
func (l *listing) moving(q *Query) error {
	if l.incomplete != nil {
		return l.incomplete
	}
	for _, g := range l.groups {
		if q.named(g.Name) && g.Err != nil {
			return g.Err
		}
	}
	return nil
}

// completeAll is complete, again for groups of which something is unavailable.
func (s *Snapshot) completeAll(ctx context.Context, store *gapstore.Store, natives *gapstore.Natives, groups []*Group, q *Query, p *patience) []Group {
	blank := make([]Group, len(groups))
	for i, g := range groups {
		blank[i] = *g
	}
	p.begun = time.Now()
	kept := s.complete(ctx, store, natives, groups, q)
	for {
		moving := map[string]bool{}
		for i := range kept {
			if kept[i].moves() {
				moving[kept[i].Name] = true
			}
		}
		if len(moving) == 0 || !p.again(ctx, true) {
			return kept
		}
		var again []*Group
		for _, g := range blank {
			if moving[g.Name] {
				again = append(again, &g)
			}
		}
		kept = slices.DeleteFunc(kept, func(g Group) bool { return moving[g.Name] })
		kept = append(kept, s.complete(ctx, store, nil, again, q)...)
		slices.SortFunc(kept, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// moves tells whether something of g may be available soon.
func (g *Group) moves() bool {
	if errors.Is(g.Err, gapstore.ErrUnavailable) {
		return true
	}
	for i := range g.Partitions {
		if errors.Is(g.Partitions[i].Err, gapstore.ErrUnavailable) {
			return true
		}
	}
	return false
}
