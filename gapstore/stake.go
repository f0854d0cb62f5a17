package gapstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Stake is what a process still has to do in one partition of a group that it
// holds together with others.
type Stake struct {
	Topic     string
	Partition int32
	// Outstanding is a number of offsets; 0: nothing, as far as is known.
	Outstanding int64
}

func partsOf(stakes []Stake) map[string][]int32 {
	parts := map[string][]int32{}
	for _, s := range stakes {
		parts[s.Topic] = append(parts[s.Topic], s.Partition)
	}
	return sortedParts(parts)
}

// bid is what a member joins with.
type bid struct {
	// round differs from join to join: a member that says nothing new would be
	// given its old generation, and its old share, again.
	round  uint64
	stakes []Stake
}

const stakesVersion = 1

// deal shares the partitions out, the largest first, each to the member that
// has least so far, among those that have something to do there. What they say
// of it may be old: as it only ever becomes less, the least is the newest.
func deal(bids map[string]bid) map[string]map[string][]int32 {
	names := slices.Sorted(maps.Keys(bids))
	parts := make([]map[string][]int32, len(names))
	for i := range parts {
		parts[i] = map[string][]int32{}
	}
	loads := make([]int64, len(names))
	for _, l := range lots(names, bids) {
		least := slices.MinFunc(l.bidders, func(a, b int) int { return cmp.Compare(loads[a], loads[b]) })
		loads[least] += l.weight
		parts[least][l.at.topic] = append(parts[least][l.at.topic], l.at.partition)
	}
	dealt := make(map[string]map[string][]int32, len(names))
	for i, name := range names {
		dealt[name] = sortedParts(parts[i])
	}
	return dealt
}

// lot is a partition that is to be dealt.
type lot struct {
	at      place
	weight  int64
	bidders []int // ascending
}

// lots are the partitions in which anybody has something to do, the largest first.
func lots(names []string, bids map[string]bid) []*lot {
	byPlace := map[place]*lot{}
	for i, name := range names {
		for _, s := range bids[name].stakes {
			at := place{s.Topic, s.Partition}
			l := byPlace[at]
			switch {
			case s.Outstanding <= 0:
				continue
			case l == nil:
				l = &lot{at: at, weight: s.Outstanding}
				byPlace[at] = l
			}
			l.weight = min(l.weight, s.Outstanding)
			if n := len(l.bidders); n == 0 || l.bidders[n-1] != i {
				l.bidders = append(l.bidders, i)
			}
		}
	}
	return slices.SortedFunc(maps.Values(byPlace), func(a, b *lot) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.at.topic, b.at.topic), cmp.Compare(a.at.partition, b.at.partition))
	})
}

// append appends b as Kafka's consumer protocol has a subscription, so that
// plain tools can tell the topics. The user data is a version, a byte, and then
// unsigned LEB128 numbers: the round, and for each topic, in their order, the
// number of partitions, and of each its number and what is outstanding.
func (b bid) append(to []byte) []byte {
	byTopic := map[string][]Stake{}
	for _, s := range b.stakes {
		byTopic[s.Topic] = append(byTopic[s.Topic], s)
	}
	out := kmsg.NewConsumerMemberMetadata()
	out.Version = 1
	out.Topics = slices.Sorted(maps.Keys(byTopic))
	out.UserData = binary.AppendUvarint([]byte{stakesVersion}, b.round)
	for _, topic := range out.Topics {
		out.UserData = binary.AppendUvarint(out.UserData, uint64(len(byTopic[topic])))
		for _, s := range byTopic[topic] {
			out.UserData = binary.AppendUvarint(out.UserData, uint64(s.Partition))
			out.UserData = binary.AppendUvarint(out.UserData, uint64(max(0, s.Outstanding)))
		}
	}
	return out.AppendTo(to)
}

var errStakes = errors.New("not one of a group that is held together")

func parseBid(data []byte) (b bid, err error) {
	var in kmsg.ConsumerMemberMetadata
	if err := in.ReadFrom(data); err != nil {
		return b, fmt.Errorf("%w: %w", errStakes, err)
	}
	if len(in.UserData) == 0 || in.UserData[0] != stakesVersion {
		return b, errStakes
	}
	n := &numbers{rest: in.UserData[1:]}
	b.round = n.next(math.MaxUint64)
	for _, topic := range in.Topics {
		for range n.next(uint64(len(n.rest) / 2)) {
			s := Stake{Topic: topic, Partition: int32(n.next(math.MaxInt32))}
			s.Outstanding = int64(n.next(math.MaxInt64))
			b.stakes = append(b.stakes, s)
		}
	}
	if !n.whole() {
		return b, errStakes
	}
	return b, nil
}

// appendParts appends parts as an assignment of Kafka's consumer protocol. It
// has no user data: with some, brokers keep out members of the consumer protocol
// (KIP-848) that arrive.
func appendParts(parts map[string][]int32, to []byte) []byte {
	out := kmsg.NewConsumerMemberAssignment()
	out.Version = 1
	for _, topic := range slices.Sorted(maps.Keys(parts)) {
		t := kmsg.NewConsumerMemberAssignmentTopic()
		t.Topic, t.Partitions = topic, parts[topic]
		out.Topics = append(out.Topics, t)
	}
	return out.AppendTo(to)
}

func parseParts(data []byte) (map[string][]int32, error) {
	var in kmsg.ConsumerMemberAssignment
	if err := in.ReadFrom(data); err != nil {
		return nil, fmt.Errorf("%w: %w", errStakes, err)
	}
	parts := map[string][]int32{}
	for _, t := range in.Topics {
		parts[t.Topic] = append(parts[t.Topic], t.Partitions...)
	}
	return sortedParts(parts), nil
}
