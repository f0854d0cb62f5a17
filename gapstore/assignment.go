package gapstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/codec"
)

// assignment is what a member of a group that consumes together gets in one
// generation.
type assignment struct {
	slot   uint32 // from 1 on
	shares []share
}

// assign divides partitions among members, given by name with the topics that
// each of them wants. slots has one for each member.
func assign(members map[string][]string, partitions map[string]int32, slots []uint32) map[string]*assignment {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	assigned := make(map[string]*assignment, len(names))
	for i, name := range names {
		assigned[name] = &assignment{slot: slots[i]}
	}
	for _, l := range lines(names, members, partitions) {
		for i, pieces := range cut(l.places, len(l.members)) {
			a := assigned[l.members[i]]
			a.shares = append(a.shares, pieces...)
		}
		appointKeepers(l, assigned)
	}
	return assigned
}

// line is the partitions of all topics that the same members want.
type line struct {
	members []string
	places  []place
}

func lines(names []string, wants map[string][]string, partitions map[string]int32) []*line {
	topics := make([]string, 0, len(partitions))
	for topic := range partitions {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	var all []*line
	byMembers := map[string]*line{}
	for _, topic := range topics {
		var members []string
		for _, name := range names {
			if slices.Contains(wants[name], topic) {
				members = append(members, name)
			}
		}
		if len(members) == 0 {
			continue
		}
		key := strings.Join(members, "\x00")
		l := byMembers[key]
		if l == nil {
			l = &line{members: members}
			byMembers[key] = l
			all = append(all, l)
		}
		for p := range partitions[topic] {
			l.places = append(l.places, place{topic, p})
		}
	}
	return all
}

// cut lays the partitions end to end and cuts what that gives into n equal
// pieces. So each member has as much as any other, and reads as few partitions
// as that allows: where there is one for each member, nothing is shared.
func cut(places []place, n int) [][]share {
	pieces := make([][]share, n)
	total := int64(len(places))
	// The border before member i, without an overflow on the way.
	border := func(i int64) int64 {
		whole, rest := total*i/int64(n), total*i%int64(n)
		return whole*pointSpace + rest*pointSpace/int64(n)
	}
	for i := range pieces {
		piece := codec.Range{Start: border(int64(i)), End: border(int64(i) + 1)}
		for p := piece.Start / pointSpace; p*pointSpace < piece.End; p++ {
			part := piece.Clip(codec.Range{Start: p * pointSpace, End: (p + 1) * pointSpace})
			pieces[i] = append(pieces[i], share{place: places[p],
				points: codec.Range{Start: part.Start - p*pointSpace, End: part.End - p*pointSpace}})
		}
	}
	return pieces
}

// appointKeepers makes the member with the largest share of each partition its
// keeper, the first where several have it.
func appointKeepers(l *line, assigned map[string]*assignment) {
	type part struct {
		of *assignment
		at int
	}
	parts := map[place][]part{}
	for _, name := range l.members {
		a := assigned[name]
		for i, s := range a.shares {
			parts[s.place] = append(parts[s.place], part{a, i})
		}
	}
	for _, at := range l.places {
		sharers := parts[at]
		keeper := slices.MaxFunc(sharers, func(p, q part) int {
			return cmp.Compare(p.of.shares[p.at].points.Len(), q.of.shares[q.at].points.Len())
		})
		s := &keeper.of.shares[keeper.at]
		s.keeper = true
		for _, p := range sharers {
			if p.of != keeper.of {
				s.others = append(s.others, p.of.slot)
			}
		}
	}
}

// freeSlots are the n lowest slots from 1 on that are not taken. A slot that
// anything is written in belongs to a generation of the group that has ended;
// none of its number is given out before its records are gone.
func freeSlots(taken map[uint32]bool, n int) []uint32 {
	slots := make([]uint32, 0, n)
	for slot := uint32(1); len(slots) < n; slot++ {
		if !taken[slot] {
			slots = append(slots, slot)
		}
	}
	return slots
}
