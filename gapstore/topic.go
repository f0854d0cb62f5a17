package gapstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Topic is a topic as the cluster has it now.
type Topic struct {
	ID [16]byte // zero where the cluster does not tell
	// Logs are its partitions, by number. A partition that the cluster did not
	// name has an Err.
	Logs []Log
	// Err is why the topic could not be read; ErrNotFound: there is none.
	Err error
}

// Log is the log of one partition.
type Log struct {
	Leader      int32 // node ID; -1: none
	LeaderEpoch int32 // -1: unknown
	// Start is the first offset that the log holds, End one past the last, and
	// LastStable one past the last that read-committed readers get. NoOffset
	// until [Store.Ends] has found them.
	Start, End, LastStable int64
	// Err is why the log can not be read: no leader, or a broker's answer.
	Err error
}

// Log is the log of a partition; false when the topic has no such partition.
func (t *Topic) Log(partition int32) (*Log, bool) {
	if t == nil || partition < 0 || int(partition) >= len(t.Logs) {
		return nil, false
	}
	return &t.Logs[partition], true
}

// Topics asks for the topics of those names. One that does not exist is there
// with its error. The error is an [*Error].
func (s *Store) Topics(ctx context.Context, names []string) (map[string]*Topic, error) {
	topics := make(map[string]*Topic, len(names))
	if len(names) == 0 {
		return topics, nil
	}
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = false
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	resp, err := s.metadata(ctx, req)
	if err != nil {
		return nil, s.Failure("describe topics", err)
	}
	for i := range resp.Topics {
		if name := resp.Topics[i].Topic; name != nil {
			topics[*name] = newTopic(*name, &resp.Topics[i])
		}
	}
	for _, name := range names {
		if topics[name] == nil {
			topics[name] = &Topic{Err: Classify("describe topic "+name, kerr.UnknownTopicOrPartition)}
		}
	}
	return topics, nil
}

// metadata asks any broker. The client goes on to the next one where it can not
// connect, unless its turn comes to the same one: that is no reason to fail.
func (s *Store) metadata(ctx context.Context, req *kmsg.MetadataRequest) (resp *kmsg.MetadataResponse, err error) {
	for range anyTries {
		var dial *net.OpError
		if resp, err = req.RequestWith(ctx, s.client); !errors.As(err, &dial) || dial.Op != "dial" {
			break
		}
	}
	return resp, err
}

const anyTries = 4

func newTopic(name string, told *kmsg.MetadataResponseTopic) *Topic {
	if err := kerr.ErrorForCode(told.ErrorCode); err != nil {
		return &Topic{Err: Classify("describe topic "+name, err)}
	}
	t := &Topic{ID: told.TopicID, Logs: make([]Log, len(told.Partitions))}
	for i := range t.Logs {
		t.Logs[i] = Log{Leader: -1, LeaderEpoch: -1, Start: NoOffset, End: NoOffset, LastStable: NoOffset}
	}
	for i := range told.Partitions {
		p := &told.Partitions[i]
		if log, ok := t.Log(p.Partition); ok {
			log.Leader, log.LeaderEpoch = p.Leader, p.LeaderEpoch
			log.Err = leaderError(name, p)
		}
	}
	return t
}

// leaderError is why the partition's leader can not be asked; nil when it can. A
// replica that is down is no reason.
func leaderError(topic string, p *kmsg.MetadataResponseTopicPartition) error {
	err := kerr.ErrorForCode(p.ErrorCode)
	switch {
	case p.Leader >= 0 && (err == nil || err == kerr.ReplicaNotAvailable):
		return nil
	case err == nil:
		err = kerr.LeaderNotAvailable
	}
	op := fmt.Sprintf("find the leader of %s/%d", topic, p.Partition)
	if awaited := awaitedReplicas(p); err == kerr.LeaderNotAvailable && len(awaited) > 0 {
		return &Error{Class: ErrUnavailable, Op: op, Hint: "start broker " + anyOfThem(awaited), Err: ErrOffline}
	}
	return Classify(op, err)
}

// awaitedReplicas are those of which one must come back before the partition has a
// leader again: all that may lead it, where none of them is online.
func awaitedReplicas(p *kmsg.MetadataResponseTopicPartition) []int32 {
	heirs := p.ISR
	if len(heirs) == 0 {
		heirs = p.Replicas
	}
	for _, replica := range heirs {
		if !slices.Contains(p.OfflineReplicas, replica) {
			return nil
		}
	}
	return heirs
}

// anyOfThem is "1", "1 or 2", "1, 2 or 3".
func anyOfThem(ids []int32) string {
	text := ""
	for i, id := range slices.Sorted(slices.Values(ids)) {
		switch {
		case i == 0:
		case i == len(ids)-1:
			text += " or "
		default:
			text += ", "
		}
		text += strconv.Itoa(int(id))
	}
	return text
}

// The offsets that ListOffsets knows by timestamp.
const (
	latest   int64 = -1
	earliest int64 = -2
)

// Ends finds where the logs of those partitions, by topic, start and end. Each
// is asked once; what can not be found is an Err of its Log.
func (s *Store) Ends(ctx context.Context, topics map[string]*Topic, partitions map[string][]int32) {
	asked := [...]struct {
		timestamp int64
		isolation isolation
		into      func(*Log) *int64
		shards    []offsetsAnswer
	}{
		{timestamp: earliest, into: func(l *Log) *int64 { return &l.Start }},
		{timestamp: latest, into: func(l *Log) *int64 { return &l.End }},
		{timestamp: latest, isolation: committedOnly, into: func(l *Log) *int64 { return &l.LastStable }},
	}
	var work sync.WaitGroup
	for i := range asked {
		a := &asked[i]
		work.Go(func() { a.shards = s.listOffsets(ctx, topics, partitions, a.timestamp, a.isolation) })
	}
	work.Wait()
	for i := range asked {
		for _, answer := range asked[i].shards {
			log, ok := topics[answer.topic].Log(answer.partition)
			switch {
			case !ok:
			case answer.err != nil:
				log.Err = s.Failure(fmt.Sprintf("find the ends of %s/%d", answer.topic, answer.partition), answer.err)
			default:
				*asked[i].into(log) = max(answer.offset, NoOffset)
			}
		}
	}
	for name, numbers := range partitions {
		for _, number := range numbers {
			if log, ok := topics[name].Log(number); ok && log.Err == nil && min(log.Start, log.End, log.LastStable) < 0 {
				log.Err = Classify(fmt.Sprintf("find the ends of %s/%d", name, number), errors.New("the broker did not answer for it"))
			}
		}
	}
}

// offsetsAnswer is ListOffsets' answer for one partition.
type offsetsAnswer struct {
	topic     string
	partition int32
	offset    int64
	err       error
}

func (s *Store) listOffsets(ctx context.Context, topics map[string]*Topic, partitions map[string][]int32, timestamp int64, records isolation) []offsetsAnswer {
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = int8(records)
	for name, numbers := range partitions {
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic = name
		for _, number := range numbers {
			if log, ok := topics[name].Log(number); !ok || log.Err != nil {
				continue
			}
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.Timestamp = number, timestamp
			t.Partitions = append(t.Partitions, p)
		}
		if len(t.Partitions) > 0 {
			req.Topics = append(req.Topics, t)
		}
	}
	if len(req.Topics) == 0 {
		return nil
	}
	var answers []offsetsAnswer
	for _, shard := range s.client.RequestSharded(ctx, req) {
		if shard.Err != nil {
			for _, t := range shard.Req.(*kmsg.ListOffsetsRequest).Topics {
				for _, p := range t.Partitions {
					answers = append(answers, offsetsAnswer{t.Topic, p.Partition, NoOffset, shard.Err})
				}
			}
			continue
		}
		for _, t := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics {
			for _, p := range t.Partitions {
				answers = append(answers, offsetsAnswer{t.Topic, p.Partition, p.Offset, kerr.ErrorForCode(p.ErrorCode)})
			}
		}
	}
	return answers
}

// topicNames are the names of topics by ID; those that do not exist are absent.
func (s *Store) topicNames(ctx context.Context, ids map[[16]byte]bool) (map[[16]byte]string, error) {
	names := make(map[[16]byte]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	req := kmsg.NewPtrMetadataRequest()
	for id := range ids {
		t := kmsg.NewMetadataRequestTopic()
		t.TopicID = id
		req.Topics = append(req.Topics, t)
	}
	resp, err := s.metadata(ctx, req)
	if err != nil {
		return nil, s.Failure("find topics by ID", err)
	}
	for _, t := range resp.Topics {
		if t.ErrorCode == 0 && t.Topic != nil {
			names[t.TopicID] = *t.Topic
		}
	}
	return names, nil
}
