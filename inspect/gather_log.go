package inspect

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gapctl/gapctl/gapstore"
)

// gatherLogs fills in the ends of the logs. Each topic partition is asked about
// once, however many groups have commits for it.
func gatherLogs(ctx context.Context, store *gapstore.Store, groups []Group) map[string]*gapstore.Topic {
	seen := map[string][]bool{} // by topic and partition
	eachTopic(groups, func(topic string, _ []Partition) { seen[topic] = nil })
	names := slices.Collect(maps.Keys(seen))
	topics, err := store.Topics(ctx, names)
	if err != nil {
		eachPartition(groups, func(p *Partition) { p.failLog(err) })
		return nil
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
	inParallel(len(groups), func(i int) {
		eachTopic(groups[i:i+1], func(name string, partitions []Partition) {
			topic := topics[name]
			for k := range partitions {
				partitions[k].setLog(topic)
			}
		})
	})
	return topics
}

// eachTopic calls do with the partitions of one topic in one group, for all of
// them.
func eachTopic(groups []Group, do func(topic string, partitions []Partition)) {
	for i := range groups {
		for rest := groups[i].Partitions; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].Topic == rest[0].Topic {
				n++
			}
			do(rest[0].Topic, rest[:n])
			rest = rest[n:]
		}
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
	}
}

// failLog keeps why the log could not be read, unless the commit could not.
func (p *Partition) failLog(err error) {
	if p.Err == nil {
		p.Err = err
	}
}
