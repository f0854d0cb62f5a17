package gapstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// The internal topics that keep commits, beside codec.NativeTopic.
const (
	commitTopic = "__consumer_offsets"
	// readLogBytes bounds one answer when an internal topic is read through.
	readLogBytes = 4 << 20
)

// LogPlace is one partition of a topic that keeps commits.
type LogPlace struct {
	Topic     string
	Partition int32
}

// CommitLog is where the offset commits of group are kept
// (GroupCoordinatorService.partitionFor). The error is an [*Error].
func (s *Store) CommitLog(ctx context.Context, group string) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, commitTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{commitTopic, sharePartition(group, n)}, nil
}

// ShareLog is where the state of a share partition is kept
// (ShareCoordinatorService.partitionFor). The error is an [*Error].
func (s *Store) ShareLog(ctx context.Context, key codec.ShareKey) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, shareTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{shareTopic, sharePartition(shareKey(key.Group, key.TopicID, key.Partition), n)}, nil
}

// NativeLog is where the native commits of group are kept. The error is an
// [*Error].
func (s *Store) NativeLog(ctx context.Context, group string) (LogPlace, error) {
	n, err := s.partitionsOf(ctx, codec.NativeTopic)
	if err != nil {
		return LogPlace{}, err
	}
	return LogPlace{codec.NativeTopic, codec.NativePartition(group, int32(n))}, nil
}

func (s *Store) partitionsOf(ctx context.Context, name string) (int, error) {
	topics, err := s.Topics(ctx, []string{name})
	if err != nil {
		return 0, err
	}
	topic := topics[name]
	if topic.Err == nil && len(topic.Logs) == 0 {
		return 0, Classify("read topic "+name, errors.New("it has no partitions"))
	}
	return len(topic.Logs), topic.Err
}

// ReadLog yields the records of a log that are committed now, from its start
// to its end, as far as wants accepts their keys. Records of a transaction come
// when it commits, where that is not known to be before the last stable offset.
// An error, an [*Error], is the last.
func (s *Store) ReadLog(ctx context.Context, at LogPlace, wants func(key []byte) bool) iter.Seq2[*kgo.Record, error] {
	return func(yield func(*kgo.Record, error) bool) {
		topics, err := s.Topics(ctx, []string{at.Topic})
		if err != nil {
			yield(nil, err)
			return
		}
		topic := topics[at.Topic]
		log, ok := topic.Log(at.Partition)
		switch {
		case topic.Err != nil:
			yield(nil, topic.Err)
			return
		case !ok:
			yield(nil, Classify("read topic "+at.Topic, fmt.Errorf("it has no partition %d", at.Partition)))
			return
		}
		s.Ends(ctx, topics, map[string][]int32{at.Topic: {at.Partition}})
		if log.Err != nil {
			yield(nil, log.Err)
			return
		}
		r := &logReading{store: s, leader: log.Leader, wants: wants, yield: yield, open: map[int64][]*kgo.Record{}}
		r.at = Position{Topic: at.Topic, ID: topic.ID, Partition: at.Partition, Offset: log.Start}
		if r.read(ctx, log.LastStable, committedOnly) {
			// Beyond the last stable offset, where any transaction holds it,
			// others may have ended: their markers tell.
			r.read(ctx, log.End, everyRecord)
		}
	}
}

// logReading reads one log through.
type logReading struct {
	store  *Store
	leader int32
	at     Position
	wants  func(key []byte) bool
	yield  func(*kgo.Record, error) bool
	open   map[int64][]*kgo.Record // wanted records of transactions under way, by producer
}

// read reads up to end, exclusive, or further, and reports whether to go on.
func (r *logReading) read(ctx context.Context, end int64, records isolation) bool {
	limit := FetchLimit{Partition: readLogBytes, Response: readLogBytes}
	for r.at.Offset < end {
		got, err := r.store.fetch(ctx, r.leader, []Position{r.at}, limit, records)
		if err == nil {
			err = got[0].Err
		}
		if err == nil && got[0].Next <= r.at.Offset {
			err = &Error{Class: ErrUnavailable, Op: r.at.String(), Err: fmt.Errorf("the broker gives nothing, before the end at %d", end)}
		}
		if err != nil {
			r.yield(nil, err)
			return false
		}
		for _, record := range got[0].Records {
			// Also those beyond end, which a transaction that has ended since has let
			// through: reading goes on behind them.
			if !r.take(record, records) {
				return false
			}
		}
		r.at.Offset = got[0].Next
	}
	return true
}

func (r *logReading) take(record *kgo.Record, records isolation) bool {
	switch {
	case record.Attrs.IsControl():
		if ended, committed := marker(record); ended {
			kept := r.open[record.ProducerID]
			delete(r.open, record.ProducerID)
			return !committed || !slices.ContainsFunc(kept, func(k *kgo.Record) bool { return !r.yield(k, nil) })
		}
	case !r.wants(record.Key):
	case records == everyRecord && record.Attrs.IsTransactional():
		r.open[record.ProducerID] = append(r.open[record.ProducerID], cloneRecord(record))
	default:
		return r.yield(record, nil)
	}
	return true
}
