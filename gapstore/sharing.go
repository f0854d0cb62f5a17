package gapstore

import (
	"fmt"
	"math/bits"

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

// has reports whether r is in the share.
func (s *share) has(sharing Sharing, r *kgo.Record) bool {
	return s.points == codec.Range{End: pointSpace} || s.points.Contains(sharing.point(r))
}
