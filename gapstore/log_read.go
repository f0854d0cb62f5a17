package gapstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/twmb/franz-go/pkg/kgo"
)

// readLogBytes bounds one answer when a log is read through. The logs that keep
// commits are small: ten million gaps are a few megabytes.
const readLogBytes = 4 << 20

// ReadLog yields the records of a log that are committed now, from its start
// to its end, as far as wants accepts their keys. Records of a transaction come
// when it commits, where that is not known to be before the last stable offset.
// An error, an [*Error], is the last.
func (s *Store) ReadLog(ctx context.Context, at LogPlace, wants func(key []byte) bool) iter.Seq2[*kgo.Record, error] {
	return func(yield func(*kgo.Record, error) bool) {
		topic, log, err := s.findLog(ctx, at)
		if err != nil {
			yield(nil, err)
			return
		}
		next := Position{Topic: at.Topic, ID: topic.ID, Partition: at.Partition, Offset: log.Start}
		for r, err := range s.readThrough(ctx, log.Leader, &next, log.LastStable, committedOnly) {
			if err != nil {
				yield(nil, err)
				return
			}
			if wants(r.Key) && !yield(r, nil) {
				return
			}
		}
		// Beyond the last stable offset, where any transaction holds it, others may
		// have ended: their markers tell.
		open := openTransactions{}
		for r, err := range s.readThrough(ctx, log.Leader, &next, log.End, everyRecord) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range open.follow(r, wants) {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// findLog is a log with its ends, and its topic.
func (s *Store) findLog(ctx context.Context, at LogPlace) (*Topic, *Log, error) {
	topics, err := s.Topics(ctx, []string{at.Topic})
	if err != nil {
		return nil, nil, err
	}
	topic := topics[at.Topic]
	log, ok := topic.Log(at.Partition)
	switch {
	case topic.Err != nil:
		return nil, nil, topic.Err
	case !ok:
		return nil, nil, Classify("read topic "+at.Topic, fmt.Errorf("it has no partition %d", at.Partition))
	}
	s.Ends(ctx, topics, map[string][]int32{at.Topic: {at.Partition}})
	return topic, log, log.Err
}

// readThrough yields the records of a log from next up to end, exclusive, and what
// the last answer has beyond it; next is then where to read on. An error, an
// [*Error], is the last.
func (s *Store) readThrough(ctx context.Context, leader int32, next *Position, end int64, records isolation) iter.Seq2[*kgo.Record, error] {
	limit := FetchLimit{Partition: readLogBytes, Response: readLogBytes}
	return func(yield func(*kgo.Record, error) bool) {
		for next.Offset < end {
			got, err := s.fetch(ctx, leader, []Position{*next}, limit, records)
			if err == nil {
				err = got[0].Err
			}
			if err == nil && got[0].Next <= next.Offset {
				err = &Error{Class: ErrUnavailable, Op: next.op(), Err: fmt.Errorf("the broker gives nothing, before the end at %d", end)}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range got[0].Records {
				if !yield(r, nil) {
					return
				}
			}
			next.Offset = got[0].Next
		}
	}
}

// openTransactions are the records of transactions under way, by producer ID, in a
// log that is read as it is.
type openTransactions map[int64][]*kgo.Record

// follow takes the next record of the log, or marker, and is what is known to be
// committed with it, of what wants accepts.
func (o openTransactions) follow(r *kgo.Record, wants func(key []byte) bool) []*kgo.Record {
	switch {
	case r.Attrs.IsControl():
		ended, committed := marker(r)
		if !ended {
			return nil
		}
		kept := o[r.ProducerID]
		delete(o, r.ProducerID)
		if !committed {
			return nil
		}
		return kept
	case !wants(r.Key):
		return nil
	case r.Attrs.IsTransactional():
		o[r.ProducerID] = append(o[r.ProducerID], cloneRecord(r)) // records share the memory of their batch
		return nil
	}
	return []*kgo.Record{r}
}

// marker reads a control record (EndTransactionMarker): its key is a version
// and a type, of 16 bits each.
func marker(r *kgo.Record) (ended, committed bool) {
	if len(r.Key) < 4 {
		return false, false
	}
	kind := binary.BigEndian.Uint16(r.Key[2:])
	return kind <= 1, kind == 1
}
