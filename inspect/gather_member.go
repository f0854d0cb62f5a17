package inspect

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// description is what describing a group tells.
type description struct {
	state   string
	members []Member
	err     error
}

// adopt takes over what describing g told.
func (g *Group) adopt(d description) {
	g.Members = d.members
	if d.err == nil && d.state != "" {
		g.State = d.state
	}
	if g.Err == nil {
		g.Err = d.err
	}
}

// describeGroups asks the coordinators for state and members, with the request
// of each group's type. A group that does not exist has the error ErrNotFound.
// Streams groups keep what the list tells of them.
func describeGroups(ctx context.Context, store *gapstore.Store, groups []*Group) map[string]description {
	byType := map[string][]string{}
	for _, g := range groups {
		kind := cmp.Or(g.Type, "classic") // Kafka before 3.8 knows no other, and tells none
		byType[kind] = append(byType[kind], g.Name)
	}
	var requests []kmsg.Request
	if names := byType["classic"]; names != nil {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = names
		requests = append(requests, req)
	}
	if names := byType["consumer"]; names != nil {
		req := kmsg.NewPtrConsumerGroupDescribeRequest()
		req.Groups = names
		requests = append(requests, req)
	}
	if names := byType["share"]; names != nil {
		req := kmsg.NewPtrShareGroupDescribeRequest()
		req.GroupIDs = names
		requests = append(requests, req)
	}
	described := make(map[string]description, len(groups))
	var mu sync.Mutex
	var work sync.WaitGroup
	for _, req := range requests {
		work.Go(func() {
			for _, shard := range store.Client().RequestSharded(ctx, req) {
				mu.Lock()
				if shard.Err != nil {
					for _, name := range requestedGroups(shard.Req) {
						described[name] = description{err: store.RequestFailure("describe group "+name, shard.Req.Key(), shard.Err)}
					}
				} else {
					readDescriptions(shard.Resp, described)
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return described
}

func requestedGroups(req kmsg.Request) []string {
	switch req := req.(type) {
	case *kmsg.DescribeGroupsRequest:
		return req.Groups
	case *kmsg.ConsumerGroupDescribeRequest:
		return req.Groups
	case *kmsg.ShareGroupDescribeRequest:
		return req.GroupIDs
	}
	return nil
}

func readDescriptions(resp kmsg.Response, into map[string]description) {
	switch resp := resp.(type) {
	case *kmsg.DescribeGroupsResponse:
		for _, g := range resp.Groups {
			d := newDescription(g.Group, g.State, g.ErrorCode)
			for _, m := range g.Members {
				d.add(m.MemberID, m.InstanceID, m.ClientID, m.ClientHost)
			}
			into[g.Group] = d.sorted()
		}
	case *kmsg.ConsumerGroupDescribeResponse:
		for _, g := range resp.Groups {
			d := newDescription(g.Group, g.State, g.ErrorCode)
			for _, m := range g.Members {
				d.add(m.MemberID, m.InstanceID, m.ClientID, m.ClientHost)
			}
			into[g.Group] = d.sorted()
		}
	case *kmsg.ShareGroupDescribeResponse:
		for _, g := range resp.Groups {
			d := newDescription(g.GroupID, g.GroupState, g.ErrorCode)
			for _, m := range g.Members {
				d.add(m.MemberID, nil, m.ClientID, m.ClientHost)
			}
			into[g.GroupID] = d.sorted()
		}
	}
}

// newDescription starts a description. Kafka before 4.0 calls a group that does
// not exist dead, and says it without an error (KIP-1043).
func newDescription(name, state string, code int16) description {
	err := kerr.ErrorForCode(code)
	if err == nil && state == "Dead" {
		err = kerr.GroupIDNotFound
	}
	return description{state: state, err: gapstore.Classify("describe group "+name, err)}
}

func (d *description) add(id string, instance *string, client, host string) {
	m := Member{ID: id, ClientID: client, Host: strings.TrimPrefix(host, "/")}
	if instance != nil {
		m.InstanceID = *instance
	}
	d.members = append(d.members, m)
}

func (d description) sorted() description {
	slices.SortFunc(d.members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return d
}
