package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// Target names a partition, and offsets of it.
type Target struct {
	Topic     string       `json:"topic"`
	Partition int32        `json:"partition"`
	Ranges    codec.Ranges `json:"ranges"`
}

// String is the partition as people write it: "orders/3".
func (t Target) String() string { return t.Topic + "/" + strconv.Itoa(int(t.Partition)) }

// UnmarshalJSON reads a target that has no other fields.
func (t *Target) UnmarshalJSON(data []byte) error {
	d := struct {
		Topic     string       `json:"topic"`
		Partition int32        `json:"partition"`
		Ranges    strictRanges `json:"ranges"`
	}{}
	err := strictly(data, &d)
	*t = Target{d.Topic, d.Partition, d.Ranges.Ranges}
	return err
}

// at reports whether t and u name the same partition.
func (t Target) at(u Target) bool { return t.Topic == u.Topic && t.Partition == u.Partition }

func compareTargets(a, b Target) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// ParseTargets reads targets such as "orders/2@17" and "orders/2@17-19,23",
// where both ends of a range are included. They come sorted, one for each
// partition. The error names the text that is wrong.
func ParseTargets(texts []string) ([]Target, error) {
	var targets []Target
	for _, text := range texts {
		place, ranges, ok := strings.Cut(text, "@")
		topic, number, hasPartition := strings.Cut(place, "/")
		partition, err := strconv.ParseUint(number, 10, 31)
		if !ok || !hasPartition || topic == "" || err != nil {
			return nil, fmt.Errorf("%q: want TOPIC/PARTITION@OFFSETS, such as orders/2@17-19", text)
		}
		offsets, err := codec.ParseRanges(ranges)
		if err == nil && offsets.Empty() {
			err = fmt.Errorf("no offset after the @")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		targets = append(targets, Target{topic, int32(partition), offsets})
	}
	return joinTargets(targets), nil
}

// joinTargets sorts targets, and unites those of the same partition.
func joinTargets(targets []Target) []Target {
	slices.SortStableFunc(targets, compareTargets)
	var joined []Target
	for _, t := range targets {
		if n := len(joined); n > 0 && joined[n-1].at(t) {
			joined[n-1].Ranges = joined[n-1].Ranges.Union(t.Ranges)
			continue
		}
		joined = append(joined, t)
	}
	return joined
}

// targetsIn are the offsets of ranges, sorted by partition.
func targetsIn(ranges map[place][]codec.Range) []Target {
	var targets []Target
	for at, rs := range ranges {
		targets = append(targets, Target{at.topic, at.partition, codec.NewRanges(rs...)})
	}
	slices.SortFunc(targets, compareTargets)
	return targets
}

// rangesAt is the offsets that targets name in the partition of t.
func rangesAt(targets []Target, t Target) codec.Ranges {
	var ranges codec.Ranges
	for _, named := range targets {
		if named.at(t) {
			ranges = ranges.Union(named.Ranges)
		}
	}
	return ranges
}

// targetOf names the partition p.
func targetOf(p *inspect.Partition) Target { return Target{Topic: p.Topic, Partition: p.Partition} }

// place is a partition by itself, as maps have it.
type place struct {
	topic     string
	partition int32
}

func (t Target) place() place { return place{t.Topic, t.Partition} }

// placesOf are the partitions of g.
func placesOf(g *inspect.Group) map[place]bool {
	places := make(map[place]bool, len(g.Partitions))
	for i := range g.Partitions {
		places[targetOf(&g.Partitions[i]).place()] = true
	}
	return places
}
