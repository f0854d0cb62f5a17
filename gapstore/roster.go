package gapstore

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Member is one member of a group, as the coordinator describes it. Its texts
// are chosen by the client that they describe: they are hostile input.
type Member struct {
	ID, InstanceID, ClientID, Host string
}

// roster is who is in a group, seen from outside.
type roster struct {
	state       string // "" when there is no such group
	members     []Member
	coordinator int32 // its node ID, -1 when not told
}

// look reads who is in a group, without touching it. Each type of group has a
// describe request of its own, which does not know groups of the other types:
// where nobody knows it, the group doesn't exist, or isn't one of consumers,
// which the join then says.
func look(ctx context.Context, cl *kgo.Client, versions *kversion.Versions, group string) (roster, error) {
	r := roster{coordinator: -1}
	if err := r.addClassic(ctx, cl, group); err != nil {
		return r, err
	}
	if len(r.members) > 0 || !versions.HasKey(kmsg.ConsumerGroupDescribe.Int16()) {
		return r, nil
	}
	return r, r.addConsumer(ctx, cl, group)
}

// addClassic describes a group of the classic protocol.
func (r *roster) addClassic(ctx context.Context, cl *kgo.Client, group string) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{group}
	for _, shard := range cl.RequestSharded(ctx, req) {
		if shard.Err != nil {
			return shard.Err
		}
		r.coordinator = shard.Meta.NodeID
		for _, g := range shard.Resp.(*kmsg.DescribeGroupsResponse).Groups {
			if err := r.note(g.ErrorCode, g.State); err != nil {
				return err
			}
			for _, m := range g.Members {
				r.members = append(r.members, Member{m.MemberID, deref(m.InstanceID), m.ClientID, m.ClientHost})
			}
		}
	}
	return nil
}

// addConsumer describes a group of the consumer protocol (KIP-848).
func (r *roster) addConsumer(ctx context.Context, cl *kgo.Client, group string) error {
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = []string{group}
	for _, shard := range cl.RequestSharded(ctx, req) {
		if shard.Err != nil {
			return shard.Err
		}
		for _, g := range shard.Resp.(*kmsg.ConsumerGroupDescribeResponse).Groups {
			if err := r.note(g.ErrorCode, g.State); err != nil {
				return err
			}
			for _, m := range g.Members {
				r.members = append(r.members, Member{m.MemberID, deref(m.InstanceID), m.ClientID, m.ClientHost})
			}
		}
	}
	return nil
}

// note takes in the state that a describe answers with. That the group is not
// known, or not to this describe, is an answer and no error.
func (r *roster) note(code int16, state string) error {
	if code == 0 && state != "Dead" { // the classic word for not there
		r.state = state
	}
	err := kerr.ErrorForCode(code)
	if errors.Is(err, kerr.GroupIDNotFound) || errors.Is(err, kerr.UnsupportedVersion) {
		return nil
	}
	return err
}

// active is who keeps a hold out, or nil: members other than the one with ID
// self, or a state that only a group with members can be in.
func (r roster) active(group, self string) *ActiveError {
	others := make([]Member, 0, len(r.members))
	for _, m := range r.members {
		if m.ID != self {
			others = append(others, m)
		}
	}
	alone := len(others) == 0
	if alone && (self != "" || r.state == "" || r.state == "Empty") {
		return nil
	}
	return &ActiveError{Group: group, State: r.state, Members: others}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// withoutTeam is the roster of those who do not hold the group together.
func (r roster) withoutTeam() roster {
	others := make([]Member, 0, len(r.members))
	for _, m := range r.members {
		if m.ClientID != togetherName {
			others = append(others, m)
		}
	}
	r.members = others
	if len(others) == 0 {
		r.state = "" // theirs, or that of a group which is about to begin
	}
	return r
}
