package gapstore

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// Sharing is how the members of a group divide the records among them. All
// members of a group have the same.
type Sharing int

const (
	// Whole gives each partition to one member. Members beyond the number of
	// partitions are idle.
	Whole Sharing = iota
	// ByKey divides partitions by the hash of the records' keys: those of one
	// key always go to one member, in their order. A record without a key goes
	// where ByBlock sends it.
	ByKey
	// ByBlock deals the records of a partition out to its members in turn, in
	// blocks of 16 offsets. It keeps no order, and spreads any keys evenly.
	ByBlock
)

const (
	// pointSpace bounds points: each record has one in [0,pointSpace), and each
	// member takes a range of them.
	pointSpace = 1 << 31
	// blockSize is small, so that a trickle of records is spread too.
	blockSize = 16
)

// point is where r lies in a partition that is shared. That of a key is Kafka's
// own hash of it (toPositive(murmur2(key)) in the default partitioner). Blocks
// follow each other in bit-reversed order (van der Corput's sequence), so that
// members whose number is a power of two get them in turn, and any other ranges
// as evenly as can be.
func (s Sharing) point(r *kgo.Record) int64 {
	if s == ByKey && r.Key != nil {
		return int64(codec.Murmur2(r.Key) & (pointSpace - 1))
	}
	return int64(bits.Reverse32(uint32(r.Offset/blockSize)) >> 1)
}

// share is the part of a partition that one member takes.
type share struct {
	place
	points codec.Range // of its records, in [0,pointSpace)
	// keeper: this member writes slot 0 and the committed offset.
	keeper bool
	// others are the slots of the other members that take part; only a keeper
	// knows them. Any other slots are of members that have departed.
	others []uint32
}

// whole is the share of a member that has the partition to itself.
func whole(at place) share {
	return share{place: at, points: codec.Range{End: pointSpace}, keeper: true}
}

// assignment is what a member gets.
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

// String is the option's name.
func (s Sharing) String() string {
	switch s {
	case Whole:
		return "whole"
	case ByKey:
		return "by key"
	case ByBlock:
		return "by block"
	}
	return fmt.Sprintf("Sharing(%d)", int(s))
}
