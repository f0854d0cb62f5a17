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

// findGroups lists the cluster's groups and returns those that q asks for,
// sorted by name, with what the list tells of each. A named group that does not
// exist, or may not be seen, is there with its error. The native commits are
// there where they had to be read.
func findGroups(ctx context.Context, store *gapstore.Store, q *Query) (groups []*Group, natives *gapstore.Natives, notices []string, err error) {
	var named []string // by native commits
	var unread error
	var work sync.WaitGroup
	if q.All || slices.ContainsFunc(q.Groups, isPattern) {
		work.Go(func() {
			natives = store.Natives(ctx)
			named, unread = natives.Groups()
		})
	}
	listed, notices, err := listGroups(ctx, store)
	work.Wait()
	if err != nil {
		return nil, nil, nil, err
	}
	// A missing right is told when the groups' commits are loaded.
	if unread != nil && (len(listed) == 0 || !errors.Is(unread, gapstore.ErrDenied)) {
		notices = append(notices, fmt.Sprintf("groups known only from the native topic may be missing: %v", unread))
	}
	for _, name := range named {
		if listed[name] == nil {
			listed[name] = &Group{Name: name, unlisted: true}
		}
	}
	for name, g := range listed {
		if q.wants(name) {
			groups = append(groups, g)
		}
	}
	var missing []*Group
	for _, name := range q.Groups {
		if listed[name] != nil {
			continue
		}
		if isPattern(name) {
			only := Query{Groups: []string{name}}
			if !slices.ContainsFunc(groups, func(g *Group) bool { return only.wants(g.Name) }) {
				notices = append(notices, fmt.Sprintf("no group matches %q", name))
			}
			continue
		}
		g := &Group{Name: name}
		listed[name] = g
		missing = append(missing, g)
	}
	// A group that may not be described is not listed either: asking for it by
	// name tells the two apart.
	described := describeGroups(ctx, store, missing)
	for _, g := range missing {
		g.adopt(described[g.Name])
	}
	groups = append(groups, missing...)
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
	return groups, natives, notices, nil
}

// listGroups asks every broker for its groups. Brokers that do not answer are a
// notice, and an error when none does.
func listGroups(ctx context.Context, store *gapstore.Store) (listed map[string]*Group, notices []string, err error) {
	listed = map[string]*Group{}
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
			listed[g.Group] = &Group{Name: g.Group, Type: strings.ToLower(g.GroupType), State: g.GroupState}
		}
	}
	if answered {
		return listed, notices, nil
	}
	return nil, nil, err
}
