package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// listing is the groups that a query asks for, as far as the cluster lists them.
type listing struct {
	groups  []*Group          // sorted by name
	natives *gapstore.Natives // the native commits, where they had to be read
	notices []string
	// unlisted is why a broker did not list its groups, and incomplete says so
	// where the query asks for groups that may be among them.
	unlisted, incomplete error
}

// incomplete is the error of a list that lacks some groups, for cause.
func incomplete(cause error, text string) error {
	err := &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "list all groups", Err: errors.New(text)}
	if errors.Is(cause, gapstore.ErrOffline) {
		err.Err = fmt.Errorf("%s: %w", text, gapstore.ErrOffline)
	}
	if known, ok := errors.AsType[*gapstore.Error](cause); ok {
		err.Hint = known.Hint
	}
	return err
}

// findGroups lists the cluster's groups and returns those that q asks for, with
// what the list tells of each. A named group that does not exist, or may not be
// seen, is there with its error.
func findGroups(ctx context.Context, store *gapstore.Store, q *Query) (l listing, err error) {
	var named []string // by native commits
	var unread error
	var work sync.WaitGroup
	wide := q.All || slices.ContainsFunc(q.Groups, isPattern)
	if wide {
		work.Go(func() {
			l.natives = store.Natives(ctx)
			named, unread = l.natives.Groups()
		})
	}
	listed, silent, unlisted := listGroups(ctx, store)
	work.Wait()
	if listed == nil {
		return listing{}, unlisted
	}
	if l.unlisted = unlisted; wide && unlisted != nil {
		l.notices = silent
		l.incomplete = incomplete(unlisted, "not every broker told its own")
	} else if errors.Is(unread, gapstore.ErrUnavailable) {
		l.incomplete = incomplete(unread, "the native topic could not be read")
	}
	// A missing right is told when the groups' commits are loaded.
	if unread != nil && (len(listed) == 0 || !errors.Is(unread, gapstore.ErrDenied)) {
		l.notices = append(l.notices, fmt.Sprintf("groups known only from the native topic may be missing: %v", unread))
	}
	for _, name := range named {
		if listed[name] == nil {
			listed[name] = &Group{Name: name, unlisted: true}
		}
	}
	for name, g := range listed {
		if q.wants(name) {
			l.groups = append(l.groups, g)
		}
	}
	l.addMissing(ctx, store, q, listed)
	slices.SortFunc(l.groups, func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

// addMissing adds the groups that q names and that are not listed. A group that
// may not be described is not listed either: asking for it by name tells the two
// apart. One that a silent broker may have is not known to be missing.
func (l *listing) addMissing(ctx context.Context, store *gapstore.Store, q *Query, listed map[string]*Group) {
	var missing []*Group
	for _, name := range q.Groups {
		if listed[name] != nil {
			continue
		}
		if isPattern(name) {
			only := Query{Groups: []string{name}}
			if !slices.ContainsFunc(l.groups, func(g *Group) bool { return only.wants(g.Name) }) {
				l.notices = append(l.notices, fmt.Sprintf("no group matches %q", name))
			}
			continue
		}
		g := &Group{Name: name}
		listed[name] = g
		missing = append(missing, g)
	}
	findUnlisted(ctx, store, missing)
	for _, g := range missing {
		if l.unlisted != nil && errors.Is(g.Err, gapstore.ErrNotFound) {
			g.Err = l.unlisted
		}
	}
	l.groups = append(l.groups, missing...)
}

// findUnlisted asks for groups by name, as each type of group that there is: one
// whose coordinator has just moved is listed by nobody for a moment, and each
// describe request knows the groups of its own type only.
func findUnlisted(ctx context.Context, store *gapstore.Store, groups []*Group) {
	for _, kind := range []string{"", "consumer", "share"} {
		var asked []*Group
		for _, g := range groups {
			if kind == "" || errors.Is(g.Err, gapstore.ErrNotFound) {
				asked = append(asked, &Group{Name: g.Name, Type: kind})
			}
		}
		described := describeGroups(ctx, store, asked)
		for _, g := range groups {
			switch d, told := described[g.Name]; {
			case kind == "":
				g.adopt(d)
			case told && d.err == nil:
				g.Err, g.Type = nil, kind
				g.adopt(d)
			}
		}
	}
}

// listGroups asks every broker for its groups. Brokers that do not answer are
// notices, and the error is that of the last; nil are listed when none answers.
func listGroups(ctx context.Context, store *gapstore.Store) (listed map[string]*Group, notices []string, err error) {
	listed = map[string]*Group{}
	coordinators := map[string]int32{}
	answered := false
	for _, shard := range store.Client().RequestSharded(ctx, kmsg.NewPtrListGroupsRequest()) {
		failed := shard.Err
		if failed == nil {
			failed = kerr.ErrorForCode(shard.Resp.(*kmsg.ListGroupsResponse).ErrorCode)
		}
		if failed != nil {
			op := "list groups"
			if shard.Meta.NodeID >= 0 {
				op = fmt.Sprintf("list the groups of broker %d", shard.Meta.NodeID)
			}
			err = store.Failure(op, failed)
			notices = append(notices, fmt.Sprintf("groups may be missing: %v", err))
			continue
		}
		answered = true
		for _, g := range shard.Resp.(*kmsg.ListGroupsResponse).Groups {
			if listed[g.Group] != nil {
				delete(coordinators, g.Group) // it moves from one broker to the other
			} else {
				coordinators[g.Group] = shard.Meta.NodeID
			}
			listed[g.Group] = &Group{Name: g.Group, Type: strings.ToLower(g.GroupType), State: g.GroupState}
		}
	}
	if !answered {
		return nil, nil, err
	}
	store.Listed(coordinators)
	return listed, notices, err
}
