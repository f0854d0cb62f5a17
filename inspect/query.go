package inspect

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gapctl/gapctl/gapstore"
)

// Query says what to gather.
type Query struct {
	// Groups are names of groups, or patterns with * and ? as in [path.Match].
	// A group of exactly that name comes first.
	Groups []string
	// All asks for every group, beside those in Groups.
	All bool
	// Topics and Formats keep only partitions of those topics, or with gaps in
	// those formats. Empty: all. Groups of which nothing is left are kept only
	// when they were named.
	Topics  Topics
	Formats []string
	// GapsOnly keeps only groups that hold gaps, or may hold some that can not
	// be read, and those that were named.
	GapsOnly bool
	// SkipAges leaves OldestGapAt unknown, so that no records are read.
	SkipAges bool
	// AtOnce does not ask again for what a cluster that moves does not tell; for
	// who looks again soon anyway.
	AtOnce bool
	// Each, unless it is nil, gets each group once all of it is known, in order
	// of names, instead of the snapshot. So any number of groups takes no more
	// memory than some.
	Each func(g *Group)
}

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

func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

// check finds patterns that mean nothing.
func (q *Query) check() error {
	for _, name := range q.Groups {
		if _, err := path.Match(name, ""); isPattern(name) && err != nil {
			return fmt.Errorf("group %q: %w", name, err)
		}
	}
	return nil
}

// named reports whether q asks for that very group.
func (q *Query) named(group string) bool { return slices.Contains(q.Groups, group) }

// wants reports whether q asks for a group that exists.
func (q *Query) wants(group string) bool {
	return q.All || q.named(group) || slices.ContainsFunc(q.Groups, func(pattern string) bool {
		match, _ := path.Match(pattern, group)
		return match && isPattern(pattern)
	})
}

// keeps reports whether g, of which the partitions that q does not ask for are
// gone, belongs in the answer.
func (q *Query) keeps(g *Group) bool {
	switch {
	case q.named(g.Name):
		return true
	case g.unlisted && errors.Is(g.Err, gapstore.ErrDenied):
		return false // as a cluster lists no group that may not be described
	case g.Err != nil:
		return true
	case len(q.Topics)+len(q.Formats) > 0 && len(g.Partitions) == 0:
		return false
	}
	return !q.GapsOnly || g.holdsGaps()
}
