package gapstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/gapctl/gapctl/codec"
)

// foldShareStates replays the state topic for parts, as the share coordinator
// itself does on loading: no right on the cluster is needed, and nobody is
// fenced. It returns the parts that are still without state, and why.
func (s *Store) foldShareStates(ctx context.Context, parts []*sharePart) (unread []*sharePart, why error) {
	if len(parts) == 0 {
		return nil, nil
	}
	topics, err := s.Topics(ctx, []string{shareTopic})
	if err != nil {
		return parts, err
	}
	topic := topics[shareTopic]
	if topic.Err != nil {
		return parts, topic.Err
	}
	if len(topic.Logs) == 0 {
		return parts, errors.New("it has no partitions")
	}
	byPartition := map[int32][]*sharePart{}
	for _, part := range parts {
		p := partitionFor(part.key, len(topic.Logs))
		byPartition[p] = append(byPartition[p], part)
	}
	s.Ends(ctx, topics, map[string][]int32{shareTopic: slices.Collect(maps.Keys(byPartition))})
	var mu sync.Mutex
	var work sync.WaitGroup
	for p, parts := range byPartition {
		work.Go(func() {
			states, err := s.foldShareLog(ctx, topic, p)
			mu.Lock()
			defer mu.Unlock()
			for _, part := range parts {
				state, ok := states[codec.ShareKey{Group: part.entry.Group, TopicID: part.entry.TopicID, Partition: part.entry.Partition}]
				switch {
				case err != nil:
					why, unread = err, append(unread, part)
				case !ok:
					why, unread = errors.New("it holds no state for them"), append(unread, part)
				default:
					part.entry.setState("snapshot", state)
				}
			}
		})
	}
	work.Wait()
	slices.SortFunc(unread, func(a, b *sharePart) int { return compareEntries(a.entry, b.entry) })
	return unread, why
}

// foldShareLog replays one partition of the state topic, from the log's start
// to its last stable offset. Records that can not be read spoil only the states
// that they belong to.
func (s *Store) foldShareLog(ctx context.Context, topic *Topic, partition int32) (map[codec.ShareKey]codec.ShareState, error) {
	log := &topic.Logs[partition]
	if log.Err != nil {
		return nil, log.Err
	}
	var fold codec.ShareFold
	next := Position{Topic: shareTopic, ID: topic.ID, Partition: partition, Offset: log.Start}
	for r, err := range s.readThrough(ctx, log.Leader, &next, log.LastStable, committedOnly) {
		if err != nil {
			return nil, err
		}
		_ = fold.Apply(r.Key, r.Value) // the fold keeps it in the state's Err
	}
	states := map[codec.ShareKey]codec.ShareState{}
	for key, state := range fold.All() {
		states[key] = state
	}
	return states, nil
}
