package gapstore

import (
	"context"
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
	// open are the transactions that had not ended at next, with the records of
	// wanted groups.
	open openTransactions
	fold codec.NativeFold

	unreadable int   // records that are none of ours, or of newer software
	why        error // about the first of those
	misplaced  bool  // a group's records lie in a partition that is not its own
	err        error // why the partition could not be read
}

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
		l.open = openTransactions{}
		at.Offset = log.Start
		for r, err := range s.readThrough(ctx, log.Leader, &at, log.LastStable, committedOnly) {
			if err != nil {
				return err
			}
			l.apply(r)
		}
	}
	for r, err := range s.readThrough(ctx, log.Leader, &at, log.End, everyRecord) {
		if err != nil {
			l.next = at.Offset
			return err
		}
		l.follow(r)
	}
	l.next = at.Offset
	return nil
}

// follow takes a record, or a marker, from where transactions may be open.
func (l *nativeLog) follow(r *kgo.Record) {
	for _, committed := range l.open.follow(r, l.wants) {
		l.apply(committed)
	}
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
		notices = append(notices, fmt.Sprintf("%s holds records %s: %d (%v)", place, what, l.unreadable, l.why))
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
