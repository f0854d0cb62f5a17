package gapstore

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// readShareStates asks the share coordinators for the states of parts, and
// returns the parts that they do not tell.
//
// ReadShareGroupState is not a mere read: asked with a leader epoch above the
// one it knows, the share coordinator writes the new epoch down and fences the
// partition's real leader (ShareCoordinatorShard.maybeUpdateLeaderEpochAndRead).
// So the epoch comes from ReadShareGroupStateSummary, which never writes.
func (s *Store) readShareStates(ctx context.Context, parts []*sharePart) (unread []*sharePart) {
	if len(parts) == 0 {
		return nil
	}
	byKey := make(map[string]*sharePart, len(parts))
	keys := make([]string, len(parts))
	for i, part := range parts {
		keys[i], byKey[part.key] = part.key, part
	}
	failed := s.atCoordinators(ctx, kindShareCoordinator, keys, func(ctx context.Context, broker int32, keys []string) map[string]error {
		byGroup := map[string][]*sharePart{}
		for _, key := range keys {
			if part := byKey[key]; part != nil {
				byGroup[part.entry.Group] = append(byGroup[part.entry.Group], part)
			}
		}
		errs := map[string]error{}
		var mu sync.Mutex
		var work sync.WaitGroup
		for _, parts := range byGroup {
			work.Go(func() {
				s.readShareGroup(ctx, broker, parts)
				mu.Lock()
				defer mu.Unlock()
				for _, part := range parts {
					if part.err != nil {
						errs[part.key] = part.err
					}
				}
			})
		}
		work.Wait()
		return errs
	})
	for key, err := range failed {
		byKey[key].err = err
	}
	return slices.DeleteFunc(parts, func(part *sharePart) bool { return failed[part.key] == nil })
}

// epochSteps bounds the search for the epoch of the fence, one request each.
const epochSteps = 64

// readShareGroup reads parts, all of one group, from their share coordinator:
// each gets its state, or an err.
//
// After a re-initialisation the summary's epoch can be below the fence, which
// is the highest epoch ever seen. Then the epoch goes up one by one until it is
// the fence's: still nothing is written. It never goes beyond that of the
// partition's present leader.
func (s *Store) readShareGroup(ctx context.Context, broker int32, parts []*sharePart) {
	epochs := s.summarizeShares(ctx, broker, parts)
	todo := slices.DeleteFunc(slices.Clone(parts), func(p *sharePart) bool { return p.err != nil })
	var topics map[string]*Topic
	for step := 0; len(todo) > 0 && step < epochSteps; step++ {
		s.askShares(ctx, broker, todo, epochs)
		todo = slices.DeleteFunc(todo, func(p *sharePart) bool { return !errors.Is(p.err, kerr.FencedLeaderEpoch) })
		if len(todo) > 0 && topics == nil {
			topics, _ = s.Topics(ctx, topicsOf(todo)) // without them, no higher epoch is tried
		}
		todo = slices.DeleteFunc(todo, func(p *sharePart) bool {
			epochs[p]++
			log, ok := topics[p.entry.Topic].Log(p.entry.Partition)
			return !ok || epochs[p] > log.LeaderEpoch
		})
	}
}

func topicsOf(parts []*sharePart) []string {
	var names []string
	for _, part := range parts {
		if !slices.Contains(names, part.entry.Topic) {
			names = append(names, part.entry.Topic)
		}
	}
	return names
}

// summarizeShares finds the leader epochs that the share coordinator knows.
func (s *Store) summarizeShares(ctx context.Context, broker int32, parts []*sharePart) map[*sharePart]int32 {
	req := kmsg.NewPtrReadShareGroupStateSummaryRequest()
	req.GroupID = parts[0].entry.Group
	for id, parts := range byTopicID(parts) {
		t := kmsg.NewReadShareGroupStateSummaryRequestTopic()
		t.TopicID = id
		for _, part := range parts {
			p := kmsg.NewReadShareGroupStateSummaryRequestTopicPartition()
			p.Partition, p.LeaderEpoch = part.entry.Partition, -1
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
	}
	kresp, err := s.client.Broker(int(broker)).RetriableRequest(ctx, req)
	if err != nil {
		s.failShares(parts, err)
		return nil
	}
	epochs := make(map[*sharePart]int32, len(parts))
	answers := newShareAnswers(parts)
	for _, t := range kresp.(*kmsg.ReadShareGroupStateSummaryResponse).Topics {
		for _, p := range t.Partitions {
			if part := answers.take(t.TopicID, p.Partition, p.ErrorCode); part != nil {
				epochs[part] = p.LeaderEpoch
			}
		}
	}
	answers.finish()
	return epochs
}

// askShares asks for the states of parts at those leader epochs.
func (s *Store) askShares(ctx context.Context, broker int32, parts []*sharePart, epochs map[*sharePart]int32) {
	req := kmsg.NewPtrReadShareGroupStateRequest()
	req.GroupID = parts[0].entry.Group
	for id, parts := range byTopicID(parts) {
		t := kmsg.NewReadShareGroupStateRequestTopic()
		t.TopicID = id
		for _, part := range parts {
			p := kmsg.NewReadShareGroupStateRequestTopicPartition()
			p.Partition, p.LeaderEpoch = part.entry.Partition, epochs[part]
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
	}
	kresp, err := s.client.Broker(int(broker)).RetriableRequest(ctx, req)
	if err != nil {
		s.failShares(parts, err)
		return
	}
	answers := newShareAnswers(parts)
	topics := kresp.(*kmsg.ReadShareGroupStateResponse).Topics
	for i := range topics {
		for j := range topics[i].Partitions {
			p := &topics[i].Partitions[j]
			if part := answers.take(topics[i].TopicID, p.Partition, p.ErrorCode); part != nil {
				part.entry.setState("read-state", shareState(p))
			}
		}
	}
	answers.finish()
}

func byTopicID(parts []*sharePart) map[[16]byte][]*sharePart {
	m := map[[16]byte][]*sharePart{}
	for _, part := range parts {
		m[part.entry.TopicID] = append(m[part.entry.TopicID], part)
	}
	return m
}

func (s *Store) failShares(parts []*sharePart, err error) {
	for _, part := range parts {
		part.err = s.Failure("read the state of "+part.entry.Key.String(), err)
	}
}

// shareAnswers matches the answers of a share coordinator with the parts asked.
type shareAnswers map[sharePlace]*sharePart

type sharePlace struct {
	topicID   [16]byte
	partition int32
}

func newShareAnswers(parts []*sharePart) shareAnswers {
	a := make(shareAnswers, len(parts))
	for _, part := range parts {
		a[sharePlace{part.entry.TopicID, part.entry.Partition}] = part
	}
	return a
}

// take is the part that an answer is for, when the answer is no error.
func (a shareAnswers) take(topicID [16]byte, partition int32, code int16) *sharePart {
	at := sharePlace{topicID, partition}
	part := a[at]
	if part == nil {
		return nil
	}
	delete(a, at)
	part.err = nil
	if err := kerr.ErrorForCode(code); err != nil {
		part.err = Classify("read the state of "+part.entry.Key.String(), err)
		return nil
	}
	return part
}

// finish marks the parts that were not answered.
func (a shareAnswers) finish() {
	for _, part := range a {
		part.err = Classify("read the state of "+part.entry.Key.String(), errors.New("the share coordinator did not answer for it"))
	}
}

// shareState is the state in a response. Batches that are not ranges of
// offsets make it an erroneous one.
func shareState(p *kmsg.ReadShareGroupStateResponseTopicPartition) codec.ShareState {
	state := codec.ShareState{StateEpoch: p.StateEpoch, StartOffset: p.StartOffset, DeliveryComplete: -1}
	state.Batches = make([]codec.Delivery, 0, len(p.StateBatches))
	for _, b := range p.StateBatches {
		if b.FirstOffset < 0 || b.LastOffset < b.FirstOffset || b.LastOffset == math.MaxInt64 {
			state.Err = &codec.Error{Class: codec.ErrCorrupt, Format: shareFormat, Encoding: "read-state", Position: -1, Reason: "a batch is not a range of offsets"}
			continue
		}
		state.Batches = append(state.Batches, codec.Delivery{
			Range: codec.Range{Start: b.FirstOffset, End: b.LastOffset + 1},
			State: codec.DeliveryState(b.DeliveryState), Count: b.DeliveryCount,
		})
	}
	return state
}
