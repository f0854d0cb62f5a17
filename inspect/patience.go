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
	waiting         time.Time // since the first try that failed began
	tries, late     int
	say             func(why error, most time.Duration) // [Query.Waiting], until it has been told
}

const (
	firstPause = 100 * time.Millisecond
	mostPause  = time.Second
	// quietly is how long is waited before anybody is told: what moves is mostly
	// there by then.
	quietly = 2 * time.Second
	// lateTries are those after the time is over, of what takes no time: the
	// client may have asked the broker that is down where another one is.
	lateTries = 3
)

func newPatience(ctx context.Context, q *Query) *patience {
	now := time.Now()
	p := &patience{begun: now, say: q.Waiting}
	if deadline, ok := ctx.Deadline(); ok && !q.AtOnce {
		p.until, p.deadline = now.Add(deadline.Sub(now)*2/3), deadline
	}
	return p
}

// again waits before the next try; false when no more of them are worth it,
// supposing that it takes as long as the one that has ended, which failed for that
// reason. A vital one, without which there is nothing to tell, is also worth it
// when the time is over.
func (p *patience) again(ctx context.Context, why error, vital bool) bool {
	now := time.Now()
	if p.tries == 0 {
		p.waiting = p.begun
	}
	took, rest := now.Sub(p.begun), min(firstPause<<min(p.tries, 10), mostPause)
	if p.tries++; now.Add(rest + took).After(p.until) {
		rest = firstPause
		if p.late++; !vital || p.late > lateTries || took > p.deadline.Sub(now)/8 {
			return false
		}
	}
	if p.say != nil && now.Sub(p.waiting) >= quietly && now.Before(p.until) {
		p.say(why, p.until.Sub(now))
		p.say = nil
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
func (g *gathering) findAllGroups(ctx context.Context) (groups []*Group, err error) {
	var all listing
	known := false
	for {
		l, why := findGroups(ctx, g.store, g.query)
		switch {
		case why == nil:
			all, known, err = l, true, nil
			why = l.moving(g.query)
		case !known:
			err = why
		}
		if !mayCome(why) || !g.patience.again(ctx, why, !known) {
			break
		}
	}
	g.natives, g.into.Incomplete = all.natives, all.incomplete
	g.into.note(all.notices...)
	return all.groups, err
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

// mayCome reports whether what failed may be available soon.
func mayCome(failure error) bool {
	return errors.Is(failure, gapstore.ErrUnavailable) && !errors.Is(failure, gapstore.ErrOffline)
}

// completeAll is complete, again for groups of which something is unavailable.
func (g *gathering) completeAll(ctx context.Context, groups []*Group) []Group {
	blank := make([]Group, len(groups))
	for i, group := range groups {
		blank[i] = *group
	}
	g.patience.begun = time.Now()
	kept := g.complete(ctx, groups)
	for {
		moving := map[string]bool{}
		var why error
		for i := range kept {
			if kept[i].moving != nil {
				moving[kept[i].Name] = true
				why = kept[i].moving
			}
		}
		if len(moving) == 0 || !g.patience.again(ctx, why, true) {
			return kept
		}
		var again []*Group
		for _, group := range blank {
			if moving[group.Name] {
				again = append(again, &group)
			}
		}
		anew := *g
		anew.natives = nil // they may be what is unavailable
		kept = slices.DeleteFunc(kept, func(group Group) bool { return moving[group.Name] })
		kept = append(kept, anew.complete(ctx, again)...)
		slices.SortFunc(kept, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// moves is why something of g is not there that may be available soon; nil when
// nothing is.
func (g *Group) moves() error {
	if mayCome(g.Err) {
		return g.Err
	}
	for i := range g.Partitions {
		if err := g.Partitions[i].Err; mayCome(err) {
			return err
		}
	}
	return nil
}
