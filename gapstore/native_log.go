package gapstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// nativeLog is one partition of the native topic, on its way from its start to
// its end. It keeps what the wanted groups have committed.
type nativeLog struct {
	partition int32
	wanted    func(group []byte) bool
	// next is where reading goes on; NoOffset before it begins.
	next int64
	// open are the records of transactions that had not ended at next, by
	// producer ID; only those of wanted groups are kept.
	open map[int64][]*kgo.Record
	fold codec.NativeFold

	unreadable int   // records that are none of ours, or of newer software
	why        error // about the first of those
	misplaced  bool  // a group's records lie in a partition that is not its own
	err        error // why the partition could not be read
}

// fetchNative bounds one answer. A partition of the topic holds few bytes per
// gap: ten million of them are a few megabytes.
const fetchNative = 4 << 20

// read reads on to the log's present end.
//
// Read-committed readers get nothing beyond the last stable offset, where any
// group's open transaction keeps it, and so might miss what this group has
// committed. From there on the log is read as it is, and transactions are
// followed to their markers. That is exact, because compaction never goes
// beyond the last stable offset; below it, markers may be gone.
func (l *nativeLog) read(ctx context.Context, s *Store, topic *Topic) error {
	log, ok := topic.Log(l.partition)
	if !ok {
		return fmt.Errorf("%s has no partition %d", codec.NativeTopic, l.partition)
	}
	if log.Err != nil {
		return log.Err
	}
	at := Position{Topic: codec.NativeTopic, ID: topic.ID, Partition: l.partition, Offset: l.next}
	if l.next == NoOffset {
		l.open = map[int64][]*kgo.Record{}
		at.Offset = log.Start
		if err := s.eachRecord(ctx, log.Leader, &at, log.LastStable, committedOnly, l.apply); err != nil {
			return err
		}
	}
	err := s.eachRecord(ctx, log.Leader, &at, log.End, everyRecord, l.follow)
	l.next = at.Offset
	return err
}

// eachRecord gives take the records from at up to end, exclusive, and moves at.
func (s *Store) eachRecord(ctx context.Context, leader int32, at *Position, end int64, records isolation, take func(*kgo.Record)) error {
	limit := FetchLimit{Partition: fetchNative, Response: fetchNative}
	for at.Offset < end {
		got, err := s.fetch(ctx, leader, []Position{*at}, limit, records)
		if err == nil {
			err = got[0].Err
		}
		if err == nil && got[0].Next <= at.Offset {
			err = &Error{Class: ErrUnavailable, Op: fmt.Sprintf("read %s/%d at offset %d", at.Topic, at.Partition, at.Offset),
				Err: fmt.Errorf("the broker gives nothing, before the end at %d", end)}
		}
		if err != nil {
			return err
		}
		for _, record := range got[0].Records {
			take(record)
		}
		at.Offset = got[0].Next
	}
	return nil
}

// follow takes a record, or a marker, from where transactions may be open.
func (l *nativeLog) follow(r *kgo.Record) {
	switch {
	case r.Attrs.IsControl():
		if ended, committed := marker(r); ended {
			if committed {
				for _, kept := range l.open[r.ProducerID] {
					l.apply(kept)
				}
			}
			delete(l.open, r.ProducerID)
		}
	case r.Attrs.IsTransactional():
		if l.wants(r.Key) {
			l.open[r.ProducerID] = append(l.open[r.ProducerID], r)
		}
	default:
		l.apply(r)
	}
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

func (l *nativeLog) wants(key []byte) bool {
	group, ok := codec.NativeOwner(key)
	return !ok || l.wanted == nil || l.wanted(group)
}

func (l *nativeLog) apply(r *kgo.Record) {
	if !l.wants(r.Key) {
		return
	}
	if err := l.fold.Apply(r.Key, r.Value); err != nil {
		l.unreadable++
		if l.why == nil {
			l.why = fmt.Errorf("the record at offset %d: %w", r.Offset, err)
		}
	}
}

// pending reports whether an open transaction is about to change what group
// has committed.
func (l *nativeLog) pending(group string) bool {
	for _, records := range l.open {
		for _, r := range records {
			if owner, ok := codec.NativeOwner(r.Key); ok && string(owner) == group {
				return true
			}
		}
	}
	return false
}

// misplacedIn looks for a group whose records do not belong into this partition
// of n: then their number was changed after they were written.
func (l *nativeLog) misplacedIn(n int) {
	for e := range l.fold.All() {
		if codec.NativePartition(e.Group, int32(n)) != l.partition {
			l.misplaced = true
			return
		}
	}
}

// notices say what is wrong with the records as such.
func (l *nativeLog) notices() []string {
	var notices []string
	place := fmt.Sprintf("%s/%d", codec.NativeTopic, l.partition)
	if l.unreadable > 0 {
		what := "of another program"
		if errors.Is(l.why, codec.ErrUnsupported) {
			what = "that this version can not read"
		}
		notices = append(notices, fmt.Sprintf("%s holds %d records %s (%v)", place, l.unreadable, what, l.why))
	}
	return notices
}

// unfit is a [*TopicError] when a group's records lie in a partition that is
// not its own.
func (l *nativeLog) unfit() error {
	if !l.misplaced {
		return nil
	}
	return &TopicError{codec.NativeTopic, []TopicProblem{{"partition-count", fmt.Sprintf(
		"partition %d holds records of groups that belong into another one: their number was changed after they were written, and commits may be missing", l.partition)}}}
}
