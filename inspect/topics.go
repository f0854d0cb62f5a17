package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Topics is a choice of topic partitions; empty: all of them.
type Topics []TopicFilter

// TopicFilter is a topic with all its partitions, or some.
type TopicFilter struct {
	Topic      string
	Partitions []int32 // nil: all
}

// ParseTopics reads topics as "orders", "orders/0,2", or "orders:0,2" as
// Kafka's tools write it. Neither "/" nor ":" can be part of a topic's name.
func ParseTopics(args []string) (Topics, error) {
	var topics Topics
	for _, arg := range args {
		name, list := arg, ""
		if i := strings.IndexAny(arg, "/:"); i >= 0 {
			name, list = arg[:i], arg[i+1:]
			if list == "" {
				return nil, fmt.Errorf("topic %q: no partition after the separator", arg)
			}
		}
		if name == "" {
			return nil, fmt.Errorf("topic %q: want orders, or orders/0,2", arg)
		}
		filter := TopicFilter{Topic: name}
		if list != "" {
			for number := range strings.SplitSeq(list, ",") {
				n, err := strconv.ParseUint(number, 10, 31)
				if err != nil {
					return nil, fmt.Errorf("topic %q: %q is not a partition number", arg, number)
				}
				filter.Partitions = append(filter.Partitions, int32(n))
			}
		}
		topics = append(topics, filter)
	}
	return topics, nil
}

// Match reports whether the partition is chosen.
func (t Topics) Match(topic string, partition int32) bool {
	return len(t) == 0 || slices.ContainsFunc(t, func(f TopicFilter) bool {
		return f.Topic == topic && (f.Partitions == nil || slices.Contains(f.Partitions, partition))
	})
}

// String is the filter as [ParseTopics] reads it.
func (f TopicFilter) String() string {
	if f.Partitions == nil {
		return f.Topic
	}
	numbers := make([]string, len(f.Partitions))
	for i, n := range f.Partitions {
		numbers[i] = strconv.Itoa(int(n))
	}
	return f.Topic + "/" + strings.Join(numbers, ",")
}
