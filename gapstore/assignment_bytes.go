package gapstore

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/twmb/franz-go/pkg/kmsg"
)

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
	n := &numbers{rest: in.UserData[1:]}
	a.slot = uint32(n.next(math.MaxUint32))
	for _, t := range in.Topics {
		for _, partition := range t.Partitions {
			s := share{place: place{t.Topic, partition}}
			s.points.Start = int64(n.next(pointSpace))
			s.points.End = s.points.Start + int64(n.next(uint64(pointSpace-s.points.Start)))
			others := int(n.next(uint64(len(n.rest))))
			s.keeper = others > 0
			for range others - 1 {
				s.others = append(s.others, uint32(n.next(math.MaxUint32)))
			}
			a.shares = append(a.shares, s)
		}
	}
	if !n.whole() || a.slot == 0 {
		return a, errAssignment
	}
	return a, nil
}
