package inspect

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// findLogs asks for the topics of groups, and for the ends of their logs. Each
// partition is asked about once, however many groups have commits for it.
func findLogs(ctx context.Context, store *gapstore.Store, groups []Group) (map[string]*gapstore.Topic, error) {
	seen := map[string][]bool{} // by topic and partition
	eachTopic(groups, func(topic string, _ []Partition) { seen[topic] = nil })
	names := slices.Collect(maps.Keys(seen))
	topics, err := store.Topics(ctx, names)
	if err != nil {
		return nil, err
	}
	numbers := make(map[string][]int32, len(names))
	eachTopic(groups, func(name string, partitions []Partition) {
		topic := topics[name]
		if seen[name] == nil {
			seen[name] = make([]bool, len(topic.Logs))
		}
		asked := seen[name]
		for i := range partitions {
			number := partitions[i].Partition
			if _, ok := topic.Log(number); ok && !asked[number] {
				asked[number] = true
				numbers[name] = append(numbers[name], number)
			}
		}
	})
	store.Ends(ctx, topics, numbers)
	return topics, nil
}

// setLogs fills in what is known about the logs of the group's partitions; err is
// why nothing is.
func (g *Group) setLogs(topics map[string]*gapstore.Topic, err error) {
	g.eachTopic(func(name string, partitions []Partition) {
		for i := range partitions {
			if p := &partitions[i]; err != nil {
				p.failLog(err)
			} else {
				p.setLog(topics[name])
			}
		}
	})
}

// eachTopic calls do with the partitions of one topic in one group, for all of
// them.
func eachTopic(groups []Group, do func(topic string, partitions []Partition)) {
	for i := range groups {
		groups[i].eachTopic(do)
	}
}

func (g *Group) eachTopic(do func(topic string, partitions []Partition)) {
	for rest := g.Partitions; len(rest) > 0; {
		topic := rest[0].Topic
		n := sort.Search(len(rest), func(i int) bool { return rest[i].Topic > topic })
		do(topic, rest[:n])
		rest = rest[n:]
	}
}

func eachPartition(groups []Group, do func(p *Partition)) {
	for i := range groups {
		for k := range groups[i].Partitions {
			do(&groups[i].Partitions[k])
		}
	}
}

// setLog fills in what is known about the partition's log.
func (p *Partition) setLog(topic *gapstore.Topic) {
	if topic.Err != nil {
		if !errors.Is(topic.Err, gapstore.ErrNotFound) {
			p.failLog(topic.Err)
		}
		return
	}
	p.LogID = topic.ID
	if p.Home == gapstore.HomeCommit {
		p.TopicID = topic.ID // commits are told by name
	}
	if log, ok := topic.Log(p.Partition); ok {
		p.LogStart, p.LogEnd, p.LastStable, p.LogEpoch = log.Start, log.End, log.LastStable, log.LeaderEpoch
		p.failLog(log.Err)
		if log.Err == nil && p.HasState() {
			p.heldGap = firstGap(p.State.Gaps, codec.Range{Start: max(0, log.Start), End: log.LastStable})
		}
	}
}

// failLog keeps why the log could not be read, unless the commit could not.
func (p *Partition) failLog(err error) {
	if p.Err == nil {
		p.Err = err
	}
}
