package inspect

import (
	"cmp"
	"context"
	"errors"
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
// Streams groups keep what the list tells of them, and so do those that the list
// tells to be empty: there is nobody to be described.
func describeGroups(ctx context.Context, store *gapstore.Store, groups []*Group) map[string]description {
	byType := map[string][]string{}
	for _, g := range groups {
		if g.State == "Empty" {
			continue
		}
		kind := cmp.Or(g.Type, "classic") // Kafka before 3.8 knows no other, and tells none
		byType[kind] = append(byType[kind], g.Name)
	}
	described := make(map[string]description, len(groups))
	var mu sync.Mutex
	var work sync.WaitGroup
	for kind, names := range byType {
		if describeRequest(kind, nil) == nil {
			continue
		}
		work.Go(func() {
			failed := store.AtCoordinators(ctx, names, func(ctx context.Context, broker int32, names []string) map[string]error {
				req := describeRequest(kind, names)
				resp, err := store.Client().Broker(int(broker)).RetriableRequest(ctx, req)
				mu.Lock()
				defer mu.Unlock()
				errs := map[string]error{}
				if err == nil {
					readDescriptions(resp, described)
				}
				for _, name := range names {
					if err != nil {
						errs[name] = store.RequestFailure("describe group "+name, req.Key(), err)
					} else if d := described[name]; d.err != nil {
						errs[name] = d.err
					}
				}
				return errs
			})
			mu.Lock()
			defer mu.Unlock()
			for name, err := range failed {
				if known, ok := errors.AsType[*gapstore.Error](err); ok { // to find its coordinator, say
					err = &gapstore.Error{Class: known.Class, Op: "describe group " + name, Hint: known.Hint, Err: known.Err}
				}
				described[name] = description{err: err}
			}
		})
	}
	work.Wait()
	return described
}

// describeRequest is what describes groups of a type; nil: nothing does.
func describeRequest(kind string, names []string) kmsg.Request {
	switch kind {
	case "classic":
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = names
		return req
	case "consumer":
		req := kmsg.NewPtrConsumerGroupDescribeRequest()
		req.Groups = names
		return req
	case "share":
		req := kmsg.NewPtrShareGroupDescribeRequest()
		req.GroupIDs = names
		return req
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
