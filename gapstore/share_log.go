package gapstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf16"

	"github.com/gapctl/gapctl/codec"
)

const shareTopic = "__share_group_state"

// sharePartition is the partition of the state topic that keeps the state of
// key, out of n (ShareCoordinatorService.partitionFor: Utils.abs of the Java
// hash, which is 0 for the least integer).
func sharePartition(key string, n int) int32 {
	var hash int32
	for _, unit := range utf16.Encode([]rune(key)) {
		hash = 31*hash + int32(unit)
	}
	if hash < 0 {
		hash = max(0, -hash)
	}
	return hash % int32(n)
}

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
		p := sharePartition(part.key, len(topic.Logs))
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
	slices.SortFunc(unread, func(a, b *sharePart) int { return compareEntries(*a.entry, *b.entry) })
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
	limit := FetchLimit{Partition: 1 << 20, Response: 1 << 20}
	for at := log.Start; at < log.LastStable; {
		got, err := s.Fetch(ctx, log.Leader, []Position{{Topic: shareTopic, ID: topic.ID, Partition: partition, Offset: at}}, limit)
		if err == nil {
			err = got[0].Err
		}
		if err == nil && got[0].Next <= at {
			err = fmt.Errorf("%s/%d gives nothing at offset %d, before its end at %d", shareTopic, partition, at, log.LastStable)
		}
		if err != nil {
			return nil, err
		}
		for _, record := range got[0].Records {
			if record.Offset < log.LastStable {
				_ = fold.Apply(record.Key, record.Value) // the fold keeps it in the state's Err
			}
		}
		at = got[0].Next
	}
	states := map[codec.ShareKey]codec.ShareState{}
	for key, state := range fold.All() {
		states[key] = state
	}
	return states, nil
}
