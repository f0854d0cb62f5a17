package gapstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
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

const assignmentVersion = 1

// append appends a as Kafka's consumer protocol has it, so that plain tools can
// tell the partitions. The user data is a version, the slot and for each of the
// partitions, in their order, where its points start and how many they are, and
// for a keeper 1 more than the number of other slots, and these; 0 for others.
// All but the version, a byte, are unsigned LEB128 numbers.
func (a *assignment) append(b []byte) []byte {
	out := kmsg.NewConsumerMemberAssignment()
	out.UserData = binary.AppendUvarint([]byte{assignmentVersion}, uint64(a.slot))
	for _, s := range a.shares {
		if n := len(out.Topics); n == 0 || out.Topics[n-1].Topic != s.topic {
			t := kmsg.NewConsumerMemberAssignmentTopic()
			t.Topic = s.topic
			out.Topics = append(out.Topics, t)
		}
		t := &out.Topics[len(out.Topics)-1]
		t.Partitions = append(t.Partitions, s.partition)
		out.UserData = binary.AppendUvarint(out.UserData, uint64(s.points.Start))
		out.UserData = binary.AppendUvarint(out.UserData, uint64(s.points.Len()))
		if !s.keeper {
			out.UserData = append(out.UserData, 0)
			continue
		}
		out.UserData = binary.AppendUvarint(out.UserData, uint64(len(s.others))+1)
		for _, slot := range s.others {
			out.UserData = binary.AppendUvarint(out.UserData, uint64(slot))
		}
	}
	return out.AppendTo(b)
}

var errAssignment = errors.New("not one of a group that consumes together")

func parseAssignment(data []byte) (a assignment, err error) {
	var in kmsg.ConsumerMemberAssignment
	if err := in.ReadFrom(data); err != nil {
		return a, err
	}
	if len(in.UserData) == 0 || in.UserData[0] != assignmentVersion {
		return a, errAssignment
	}
	rest := in.UserData[1:]
	number := func(limit uint64) int64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 || v > limit {
			err = errAssignment
			return 0
		}
		rest = rest[n:]
		return int64(v)
	}
	a.slot = uint32(number(1<<32 - 1))
	for _, t := range in.Topics {
		for _, partition := range t.Partitions {
			s := share{place: place{t.Topic, partition}}
			s.points.Start = number(pointSpace)
			s.points.End = s.points.Start + number(uint64(pointSpace-s.points.Start))
			others := number(uint64(len(rest)))
			s.keeper = others > 0
			for range others - 1 {
				s.others = append(s.others, uint32(number(1<<32-1)))
			}
			a.shares = append(a.shares, s)
		}
	}
	if err == nil && (a.slot == 0 || len(rest) > 0) {
		err = errAssignment
	}
	return a, err
}

// has reports whether r is in the share.
func (s *share) has(sharing Sharing, r *kgo.Record) bool {
	return s.points == codec.Range{End: pointSpace} || s.points.Contains(sharing.point(r))
}
