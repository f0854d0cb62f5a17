package gapstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// How a share member acknowledges a record (KIP-932).
const (
	ackAccept  int8 = 1
	ackRelease int8 = 2
)

const (
	// shareWait is how long a broker may wait for records to acquire, and
	// shareIdle how many answers without any end the search.
	shareWait = 500 * time.Millisecond
	shareIdle = 3
	// shareSearch bounds the search. It is well below the time for which a
	// record stays acquired, 30 seconds unless configured
	// (group.share.record.lock.duration.ms).
	shareSearch = 10 * time.Second
	// shareRecords are acquired with one request at most.
	shareRecords = 500
	// shareExactly asks a broker for no more records than that, not even to
	// complete a batch (KIP-1206); those before Kafka 4.2 do not know it.
	shareExactly = 1
	// shareEnd is the session epoch of a last request.
	shareEnd = -1
)

// ShareTarget is records of one share partition.
type ShareTarget struct {
	Target
	// Most is how many records have to be acquired at most, to have them all.
	Most int64
}

// ShareSettled is what [AcceptShared] has done with one partition.
type ShareSettled struct {
	Topic     string
	Partition int32
	// Accepted are the offsets that were wanted, and are acknowledged now.
	Accepted codec.Ranges
	// Released are those that had to be acquired on the way. Each of them
	// counts one delivery more.
	Released codec.Ranges
	Err      error
}

// AcceptShared joins the share group as a member, acquires records until it has
// those of targets, acknowledges these as accepted, releases all others at once
// and leaves. The group may have other members: what they have in hand can not
// be acquired, and is left alone. Killed in between, it changes nothing but that
// the locks of what it has acquired have to expire.
func AcceptShared(ctx context.Context, dial Dial, group string, targets []ShareTarget) ([]ShareSettled, error) {
	client, err := dial(kgo.ClientID(holdClientID))
	if err != nil {
		return nil, Classify("join share group "+group, err)
	}
	defer client.Close()
	s := &Store{client: client, traffic: newTraffic()}
	m := &shareMember{client: client, group: group, id: newMemberID()}
	for _, t := range targets {
		if !slices.Contains(m.topics, t.Topic) {
			m.topics = append(m.topics, t.Topic)
		}
	}
	topics, err := s.Topics(ctx, m.topics)
	if err != nil {
		return nil, err
	}
	if err := m.heartbeat(ctx, 0); err != nil {
		return nil, s.RequestFailure("join share group "+group, kmsg.ShareGroupHeartbeat.Int16(), err)
	}
	defer m.stay(ctx)()
	var settled []ShareSettled
	for _, t := range targets {
		result := ShareSettled{Topic: t.Topic, Partition: t.Partition}
		log, _, err := whereabouts(topics[t.Topic], t.Topic, t.Partition)
		if err == nil {
			session := &shareSession{member: m, leader: log.Leader, id: topics[t.Topic].ID, target: t}
			result.Accepted, result.Released, err = session.run(ctx)
		}
		result.Err = s.Failure(fmt.Sprintf("settle records of share group %s in %s/%d", group, t.Topic, t.Partition), err)
		settled = append(settled, result)
	}
	return settled, nil
}

// shareSession is the reading of one partition. A session fetches from all its
// partitions with each request, so this one has no other.
type shareSession struct {
	member   *shareMember
	leader   int32
	id       [16]byte // of the topic
	target   ShareTarget
	epoch    int32
	acquired codec.Ranges
}

func (s *shareSession) run(ctx context.Context) (accepted, released codec.Ranges, err error) {
	begun, idle := time.Now(), 0
	for idle < shareIdle && !s.target.Ranges.Sub(s.acquired).Empty() && time.Since(begun) < shareSearch {
		before := s.acquired.Count()
		if err = s.acquire(ctx, s.target.Most-before); err != nil {
			break
		}
		if idle++; s.acquired.Count() > before {
			idle = 0
		}
	}
	accepted, released = s.acquired.Intersect(s.target.Ranges), s.acquired.Sub(s.target.Ranges)
	if settleErr := s.settle(ctx, accepted, released); settleErr != nil {
		return codec.Ranges{}, codec.Ranges{}, errors.Join(err, settleErr)
	}
	return accepted, released, err
}

// acquire asks for more records, most of them at most.
func (s *shareSession) acquire(ctx context.Context, most int64) error {
	req := kmsg.NewPtrShareFetchRequest()
	req.GroupID, req.MemberID, req.ShareSessionEpoch = &s.member.group, &s.member.id, s.epoch
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = int32(shareWait.Milliseconds()), 1, flightBytes
	req.MaxRecords, req.ShareAcquireMode = int32(min(max(1, most), shareRecords)), shareExactly
	req.BatchSize = req.MaxRecords
	rp := kmsg.NewShareFetchRequestTopicPartition()
	rp.Partition, rp.PartitionMaxBytes = s.target.Partition, flightBytes
	rt := kmsg.NewShareFetchRequestTopic()
	rt.TopicID, rt.Partitions = s.id, append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	kresp, err := s.member.client.Broker(int(s.leader)).Request(ctx, req)
	if err != nil {
		return err
	}
	resp := kresp.(*kmsg.ShareFetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return err
	}
	s.epoch++
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
			for _, a := range p.AcquiredRecords {
				s.acquired = s.acquired.Union(codec.NewRanges(codec.Range{Start: a.FirstOffset, End: a.LastOffset + 1}))
			}
		}
	}
	return nil
}

// settle acknowledges what was acquired, in one request, and ends the session.
// It takes its own time: what is released is other members' work.
func (s *shareSession) settle(ctx context.Context, accepted, released codec.Ranges) error {
	if s.acquired.Empty() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	req := kmsg.NewPtrShareAcknowledgeRequest()
	req.GroupID, req.MemberID, req.ShareSessionEpoch = &s.member.group, &s.member.id, shareEnd
	rp := kmsg.NewShareAcknowledgeRequestTopicPartition()
	rp.Partition, rp.AcknowledgementBatches = s.target.Partition, acknowledgements(accepted, released)
	rt := kmsg.NewShareAcknowledgeRequestTopic()
	rt.TopicID, rt.Partitions = s.id, append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	kresp, err := s.member.client.Broker(int(s.leader)).Request(ctx, req)
	if err != nil {
		return err
	}
	resp := kresp.(*kmsg.ShareAcknowledgeResponse)
	err = kerr.ErrorForCode(resp.ErrorCode)
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err == nil {
				err = kerr.ErrorForCode(p.ErrorCode)
			}
		}
	}
	return err
}

// acknowledgements are the batches of a request, in order of offset.
func acknowledgements(accepted, released codec.Ranges) []kmsg.ShareAcknowledgeRequestTopicPartitionAcknowledgementBatch {
	var batches []kmsg.ShareAcknowledgeRequestTopicPartitionAcknowledgementBatch
	for r := range accepted.Union(released).All() {
		for start := r.Start; start < r.End; {
			kind, end := ackRelease, r.End
			if accepted.Contains(start) {
				kind, end = ackAccept, accepted.Clip(codec.Range{Start: start, End: r.End}).First().End
			} else if next := accepted.Clip(codec.Range{Start: start, End: r.End}).First(); !next.Empty() {
				end = next.Start
			}
			b := kmsg.NewShareAcknowledgeRequestTopicPartitionAcknowledgementBatch()
			b.FirstOffset, b.LastOffset, b.AcknowledgeTypes = start, end-1, []int8{kind}
			batches = append(batches, b)
			start = end
		}
	}
	return batches
}
