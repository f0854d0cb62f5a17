package gapstore

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// balancer is the assignor of a group that consumes together, in the classic
// group protocol. It is an eager one: every member gives up all it has before
// anybody gets anything, and that keeps a key with one member at a time.
type balancer struct {
	sharing Sharing
	// taken are the slots that anything is written in.
	taken func() (map[uint32]bool, error)
	// assigned takes what this member gets.
	assigned func(assignment)
}

var _ kgo.GroupBalancer = (*balancer)(nil)
var _ kgo.ConsumerBalancerBalance = (*balancer)(nil)

// ProtocolName keeps members that share differently apart.
func (b *balancer) ProtocolName() string {
	if b.sharing == ByKey {
		return "gap-keys"
	}
	return "gap-blocks"
}

// IsCooperative: see balancer.
func (b *balancer) IsCooperative() bool { return false }

// JoinGroupMetadata is the topics alone. What a member had before says nothing:
// the leader finds the slots in use in the native topic.
func (b *balancer) JoinGroupMetadata(topics []string, _ map[string][]int32, _ int32) []byte {
	meta := kmsg.NewConsumerMemberMetadata()
	meta.Topics = topics
	return meta.AppendTo(nil)
}

// MemberBalancer reads what the members want.
func (b *balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	c, err := kgo.NewConsumerBalancer(b, members)
	if err != nil {
		return nil, nil, err
	}
	return c, c.MemberTopics(), nil
}

// Balance assigns everything. By now the group has a new generation, and no
// member of an earlier one can commit any more: a slot that is free is so for
// good.
func (b *balancer) Balance(c *kgo.ConsumerBalancer, partitions map[string]int32) kgo.IntoSyncAssignment {
	taken, err := b.taken()
	if err != nil {
		c.SetError(err)
		return nil
	}
	members := map[string][]string{}
	c.EachMember(func(member *kmsg.JoinGroupResponseMember, meta *kmsg.ConsumerMemberMetadata) {
		members[member.MemberID] = meta.Topics
	})
	return balancePlan(assign(members, partitions, freeSlots(taken, len(members))))
}

// ParseSyncAssignment reads what this member gets.
func (b *balancer) ParseSyncAssignment(data []byte) (map[string][]int32, error) {
	a, err := parseAssignment(data)
	if err != nil {
		return nil, fmt.Errorf("read the assignment: %w", err)
	}
	b.assigned(a)
	partitions := map[string][]int32{}
	for _, s := range a.shares {
		partitions[s.topic] = append(partitions[s.topic], s.partition)
	}
	return partitions, nil
}

// balancePlan is the assignments by member.
type balancePlan map[string]*assignment

// IntoSyncAssignment is the plan for the coordinator.
func (p balancePlan) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment {
	var all []kmsg.SyncGroupRequestGroupAssignment
	for _, name := range slices.Sorted(maps.Keys(p)) {
		one := kmsg.NewSyncGroupRequestGroupAssignment()
		one.MemberID, one.MemberAssignment = name, p[name].append(nil)
		all = append(all, one)
	}
	return all
}
