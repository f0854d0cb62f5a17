package gapstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/gapctl/gapctl/codec"
)

// nativeLogs are the partitions of the native topic, as far as they were asked for.
type nativeLogs struct {
	topic *Topic
	logs  map[int32]*nativeLog // by partition
	// absent: there is no such topic, or none that may be described.
	absent bool
	// err is why nothing could be read.
	err error
}

// nativeReaders is how many partitions are read at the same time.
const nativeReaders = 8

// readNatives reads the partitions that hold the records of groups, and keeps
// those of groups only; nil: all.
func (s *Store) readNatives(ctx context.Context, groups []string) *nativeLogs {
	n := &nativeLogs{logs: map[int32]*nativeLog{}}
	if n.locate(ctx, s); !n.readable() {
		return n
	}
	partitions := len(n.topic.Logs)
	var wanted func([]byte) bool
	if groups != nil {
		names := make(map[string]bool, len(groups))
		for _, group := range groups {
			names[group] = true
			p := codec.NativePartition(group, int32(partitions))
			n.logs[p] = &nativeLog{partition: p, next: NoOffset}
		}
		wanted = func(group []byte) bool { return names[string(group)] }
	} else {
		for p := range int32(partitions) {
			n.logs[p] = &nativeLog{partition: p, next: NoOffset}
		}
	}
	for _, l := range n.logs {
		l.wanted = wanted
	}
	n.readOn(ctx, s)
	return n
}

// locate asks for the topic.
func (n *nativeLogs) locate(ctx context.Context, s *Store) {
	topics, err := s.Topics(ctx, []string{codec.NativeTopic})
	if err != nil {
		n.err = err
		return
	}
	n.topic = topics[codec.NativeTopic]
	if n.absent = errors.Is(n.topic.Err, ErrNotFound); !n.absent {
		n.err = n.topic.Err
	}
}

func (n *nativeLogs) readable() bool { return n.err == nil && !n.absent }

// readOn reads each partition to its present end, if there are any.
func (n *nativeLogs) readOn(ctx context.Context, s *Store) {
	if !n.readable() {
		return
	}
	numbers := slices.Sorted(maps.Keys(n.logs))
	s.Ends(ctx, map[string]*Topic{codec.NativeTopic: n.topic}, map[string][]int32{codec.NativeTopic: numbers})
	var work errgroup.Group
	work.SetLimit(nativeReaders)
	for _, l := range n.logs {
		work.Go(func() error {
			if l.err = l.read(ctx, s, n.topic); l.err == nil {
				l.misplacedIn(len(n.topic.Logs))
			}
			return nil
		})
	}
	_ = work.Wait()
}

// log is the log that holds the records of group; nil when there is no topic.
func (n *nativeLogs) log(group string) *nativeLog {
	if n.topic == nil || len(n.topic.Logs) == 0 {
		return nil
	}
	return n.logs[codec.NativePartition(group, int32(len(n.topic.Logs)))]
}

// failure is why the records of group could not be read.
func (n *nativeLogs) failure(group string) error {
	if n.err != nil {
		return n.err
	}
	if l := n.log(group); l != nil {
		return l.err
	}
	return nil
}

// pending reports whether an open transaction is about to change what group has
// committed.
func (n *nativeLogs) pending(group string) bool {
	l := n.log(group)
	return l != nil && l.pending(group)
}

// all yields the records of every group, partition by partition.
func (n *nativeLogs) all(yield func(codec.NativeEntry) bool) {
	for _, p := range slices.Sorted(maps.Keys(n.logs)) {
		for e := range n.logs[p].fold.All() {
			if !yield(e) {
				return
			}
		}
	}
}

func (n *nativeLogs) notices() []string {
	var notices []string
	var unread error
	for _, p := range slices.Sorted(maps.Keys(n.logs)) {
		notices = append(notices, n.logs[p].notices()...)
		if n.logs[p].err != nil {
			unread = n.logs[p].err
		}
	}
	switch {
	case errors.Is(unread, ErrDenied):
		notices = append(notices, fmt.Sprintf("native commits can not be seen: this needs READ on topic %s (%v)", codec.NativeTopic, unread))
	case errors.Is(n.err, ErrDenied): // so Kafka answers also where there is no such topic
		notices = append(notices, fmt.Sprintf("native commits, if there are any, can not be seen: this needs DESCRIBE on topic %s, and READ where it exists", codec.NativeTopic))
	}
	return notices
}

// Natives are the commits in the native topic, of every group.
type Natives struct{ read *nativeLogs }

// Natives reads all of the native topic.
func (s *Store) Natives(ctx context.Context) *Natives { return &Natives{s.readNatives(ctx, nil)} }

// Groups are the groups that have commits in the native topic, sorted, also
// those that the cluster does not list (any more). With an error, an [*Error] or
// a [*TopicError], they are those that could be found.
func (n *Natives) Groups() ([]string, error) {
	err := n.read.err
	for _, l := range n.read.logs {
		err = errors.Join(err, l.err, l.unfit())
	}
	var groups []string
	for e := range n.read.all {
		if len(groups) == 0 || groups[len(groups)-1] != e.Group {
			groups = append(groups, e.Group)
		}
	}
	slices.Sort(groups)
	if errors.Is(err, ErrUnfit) {
		return slices.Compact(groups), err
	}
	return slices.Compact(groups), Classify("read "+codec.NativeTopic, err)
}
