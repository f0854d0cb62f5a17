package gapstore

import "github.com/twmb/franz-go/pkg/kmsg"

// HeldSlot is a slot of the native topic that a member of a group writes for
// one partition.
type HeldSlot struct {
	Topic     string
	Partition int32
	Slot      uint32
}

// HeldSlots are the slots of a member, by its assignment as the group's
// coordinator tells it (hostile input). Of members that share partitions, that
// with the largest share of one writes slot 0 there, and the others their own;
// a member that has a partition to itself writes slot 0.
func HeldSlots(assignment []byte) []HeldSlot {
	var held []HeldSlot
	if a, err := parseAssignment(assignment); err == nil {
		for _, s := range a.shares {
			slot := a.slot
			if s.keeper {
				slot = 0
			}
			held = append(held, HeldSlot{s.topic, s.partition, slot})
		}
		return held
	}
	var in kmsg.ConsumerMemberAssignment
	if in.ReadFrom(assignment) != nil {
		return nil
	}
	for _, t := range in.Topics {
		for _, p := range t.Partitions {
			held = append(held, HeldSlot{t.Topic, p, 0})
		}
	}
	return held
}
