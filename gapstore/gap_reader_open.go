package gapstore

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/gapctl/gapctl/codec"
)

// open finds the logs of the targets.
func (r *gapReader) open(targets []Target) error {
	numbers := map[string][]int32{}
	targets = merged(targets) // brokers refuse to be asked for a partition twice
	for _, t := range targets {
		numbers[t.Topic] = append(numbers[t.Topic], t.Partition)
	}
	topics, err := r.locate(numbers)
	if err != nil {
		return err
	}
	room := max(leastRoom, min(startRoom, r.memory/startSwell/int64(max(1, len(targets)))))
	for _, t := range targets {
		log := &gapLog{leader: -1, perOffset: bytesPerOffset, swell: startSwell, room: int32(room)}
		log.at = Position{Topic: t.Topic, Partition: t.Partition}
		log.ranges, log.stop = iter.Pull(t.Ranges.All())
		there, bounds, err := whereabouts(topics[t.Topic], t.Topic, t.Partition)
		if err == nil {
			log.at.ID, log.leader, log.bounds = topics[t.Topic].ID, there.Leader, bounds
			log.advance()
		}
		log.err = err
		r.logs = append(r.logs, log)
	}
	return nil
}

// merged is targets with each partition once.
func merged(targets []Target) []Target {
	at := map[Key]int{}
	var out []Target
	for _, t := range targets {
		key := Key{Topic: t.Topic, Partition: t.Partition}
		if i, ok := at[key]; ok {
			out[i].Ranges = out[i].Ranges.Union(t.Ranges)
			continue
		}
		at[key] = len(out)
		out = append(out, t)
	}
	return out
}

// locate asks for leaders and the ends of logs.
func (r *gapReader) locate(numbers map[string][]int32) (map[string]*Topic, error) {
	names := make([]string, 0, len(numbers))
	for name := range numbers {
		names = append(names, name)
	}
	slices.Sort(names)
	topics, err := r.store.Topics(r.ctx, names)
	if err == nil {
		r.store.Ends(r.ctx, topics, numbers)
	}
	return topics, err
}

// whereabouts is one log of a topic, and what read-committed readers get of it.
func whereabouts(topic *Topic, name string, partition int32) (*Log, codec.Range, error) {
	if topic.Err != nil {
		return nil, codec.Range{}, topic.Err
	}
	log, ok := topic.Log(partition)
	if !ok {
		return nil, codec.Range{}, Classify(fmt.Sprintf("read %s/%d", name, partition), kerr.UnknownTopicOrPartition)
	}
	return log, codec.Range{Start: max(0, log.Start), End: log.LastStable}, log.Err
}

// relocate asks again for the leaders and ends of logs that gave no answer.
func (r *gapReader) relocate() {
	r.stale = false
	numbers := map[string][]int32{}
	for _, log := range r.logs {
		if log.tries > 0 && log.err == nil {
			numbers[log.at.Topic] = append(numbers[log.at.Topic], log.at.Partition)
		}
	}
	topics, err := r.locate(numbers)
	if err != nil {
		return // the log is asked where it was; its tries are counted
	}
	for _, log := range r.logs {
		if log.tries == 0 || log.err != nil {
			continue
		}
		there, bounds, err := whereabouts(topics[log.at.Topic], log.at.Topic, log.at.Partition)
		switch {
		case err != nil:
			r.stale = log.failed(err) || r.stale
		default:
			log.leader = there.Leader
			log.narrow(bounds)
		}
	}
}

// close ends all requests.
func (r *gapReader) close(cancel context.CancelFunc) {
	cancel()
	r.fetches.Wait()
	r.closeLanes()
	for _, log := range r.logs {
		log.stop()
	}
}
