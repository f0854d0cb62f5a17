package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// AddUncommitted adds to g those partitions of topics for which nothing is
// committed, so that a [Reset] can make a commit there, and an [Undo] can bring
// one back. What does not exist is left out.
func AddUncommitted(ctx context.Context, store *gapstore.Store, g *inspect.Group, topics inspect.Topics) error {
	var names []string
	for _, t := range topics {
		names = append(names, t.Topic)
	}
	found, err := store.Topics(ctx, slices.Compact(slices.Sorted(slices.Values(names))))
	if err != nil {
		return err
	}
	there := placesOf(g)
	numbers := map[string][]int32{}
	for name, topic := range found {
		for n := range topic.Logs {
			if at := (place{name, int32(n)}); topics.Match(at.topic, at.partition) && !there[at] {
				numbers[name] = append(numbers[name], at.partition)
			}
		}
	}
	store.Ends(ctx, found, numbers)
	for name, missing := range numbers {
		for _, n := range missing {
			g.Partitions = append(g.Partitions, newUncommitted(g, gapstore.Key{Group: g.Name, Topic: name, Partition: n}, found[name]))
		}
	}
	slices.SortFunc(g.Partitions, func(a, b inspect.Partition) int {
		return compareTargets(targetOf(&a), targetOf(&b))
	})
	return nil
}

func newUncommitted(g *inspect.Group, key gapstore.Key, topic *gapstore.Topic) inspect.Partition {
	log, _ := topic.Log(key.Partition)
	home := gapstore.HomeCommit
	if g.Type == "share" {
		home = gapstore.HomeShareState
	}
	return inspect.Partition{
		Entry: &gapstore.Entry{
			Key: key, TopicID: topic.ID, Committed: gapstore.NoOffset, LeaderEpoch: -1,
			Home: home, ReportedLag: gapstore.NoOffset, Err: log.Err,
		},
		LogStart: log.Start, LogEnd: log.End, LastStable: log.LastStable, LogID: topic.ID, LogEpoch: log.LeaderEpoch,
	}
}

// uncommitted reports whether it is certain that nothing is committed for p,
// which exists.
func uncommitted(p *inspect.Partition) bool {
	return p.Committed < 0 && p.Home != gapstore.HomeNative && p.Err == nil && !p.Pending && p.LogEnd >= 0 && len(p.Slots) == 0
}

// mayCreate reports whether the op can make a commit where there is none.
func (p *Plan) mayCreate() bool {
	switch op := p.Op.(type) {
	case Reset:
		return op.To != ""
	case Undo:
		return true
	}
	return false
}

// create proposes the first commit of p.
func (r Reset) create(p *inspect.Partition) (proposal, error) {
	e := edit{reset: r, p: p}
	to, moves := e.destination()
	switch {
	case !moves:
		return keep(p), nil
	case r.To == ToShift:
		return proposal{}, errors.New("nothing is committed for it that could be shifted")
	case r.To == ToCurrent: // as Kafka's own tool does
		to = p.LogEnd
	}
	if inside := max(p.LogStart, min(to, p.LogEnd)); to != inside {
		if !r.Clamp {
			return proposal{}, outsideLog(to, p)
		}
		to = inside
	}
	return proposal{newCommit(to, -1, ""), fmt.Sprintf("new: nothing was committed; begins at %d", to)}, nil
}

// drop proposes that p has no commit any more.
func (r Reset) drop(p *inspect.Partition) (proposal, error) {
	switch {
	case p.Home == gapstore.HomeNative || len(p.NativeRecords()) > 0:
		return proposal{}, errors.New("its records in the native topic would outlive the commit: gapctl convert it to another format first")
	case p.Committed < 0:
		return keep(p), nil
	}
	return proposal{noCommit(), "deletes the commit and its gaps"}, nil
}

func outsideLog(offset int64, p *inspect.Partition) error {
	return fmt.Errorf("offset %d lies outside the log, which holds %d up to %d; --clamp takes the nearest end", offset, p.LogStart, p.LogEnd)
}
