package inspect

import (
	"context"
	"errors"

	"github.com/gapctl/gapctl/gapstore"
)

// gatherLogs fills in the ends of the logs. Each topic partition is asked about
// once, however many groups have commits for it.
func gatherLogs(ctx context.Context, store *gapstore.Store, groups []Group) map[string]*gapstore.Topic {
	seen := map[string][]bool{} // by topic and partition
	eachPartition(groups, func(p *Partition) { seen[p.Topic] = nil })
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	topics, err := store.Topics(ctx, names)
	if err != nil {
		eachPartition(groups, func(p *Partition) { p.failLog(err) })
		return nil
	}
	numbers := make(map[string][]int32, len(names))
	eachPartition(groups, func(p *Partition) {
		topic := topics[p.Topic]
		if _, ok := topic.Log(p.Partition); !ok {
			return
		}
		if seen[p.Topic] == nil {
			seen[p.Topic] = make([]bool, len(topic.Logs))
		}
		if !seen[p.Topic][p.Partition] {
			seen[p.Topic][p.Partition] = true
			numbers[p.Topic] = append(numbers[p.Topic], p.Partition)
		}
	})
	store.Ends(ctx, topics, numbers)
	eachPartition(groups, func(p *Partition) { p.setLog(topics[p.Topic]) })
	return topics
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
