package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// checkNamed is nil when g has something of all that was named: a cluster leaves
// out the commits on topics that one may not describe, without a word, and a
// repair of nothing would look done. What op names by itself, the plan refuses.
func (r *repairing) checkNamed(ctx context.Context, store *gapstore.Store, g *inspect.Group, q inspect.Query, op repair.Op) error {
	if g.Err != nil || len(op.Targets()) > 0 {
		return nil
	}
	for _, t := range q.Topics {
		if !holds(g, t) {
			return absent(ctx, store, g.Name, t, len(q.Formats) > 0)
		}
	}
	switch {
	case len(g.Partitions) > 0:
		return nil
	case len(q.Formats) > 0:
		return fail(exitFailure, inspect.Command("describe", g.Name)+" shows what there is", "group %s has no partition that fits --topic and --format", g.Name)
	case r.app.principal != "":
		return fail(exitFailure, "needs DESCRIBE on its topics, if it has any", "group %s has committed nothing, or only on topics that %s may not describe", g.Name, r.app.principal)
	}
	return fail(exitFailure, "", "group %s has committed nothing", g.Name)
}

// holds reports whether g has all partitions of t, or any where none is named.
func holds(g *inspect.Group, t inspect.TopicFilter) bool {
	has := func(match func(int32) bool) bool {
		return slices.ContainsFunc(g.Partitions, func(p inspect.Partition) bool { return p.Topic == t.Topic && match(p.Partition) })
	}
	for _, n := range t.Partitions {
		if !has(func(p int32) bool { return p == n }) {
			return false
		}
	}
	return t.Partitions != nil || has(func(int32) bool { return true })
}

// absent is why a group has nothing in t.
func absent(ctx context.Context, store *gapstore.Store, group string, t inspect.TopicFilter, chosen bool) error {
	topics, err := store.Topics(ctx, []string{t.Topic})
	if err != nil {
		return err
	}
	switch err := topics[t.Topic].Err; {
	case errors.Is(err, gapstore.ErrNotFound):
		return fail(exitFailure, "", "no topic %s", t.Topic)
	case err != nil:
		return err
	case chosen:
		return fail(exitFailure, inspect.Command("describe", group)+" shows what there is", "group %s has no commit for all of %s that fits --format", group, t)
	}
	return fail(exitFailure, inspect.Command("describe", group)+" shows what there is", "group %s has no commit for all of %s", group, t)
}
