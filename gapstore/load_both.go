package gapstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/gapctl/gapctl/codec"
)

// pair is what has to come from one commit: Kafka's offset and the native one.
type pair struct{ committed, stable int64 }

// pairTries bounds how often a group is read whose pairs do not match.
const pairTries = 4

// loadConsumers reads what classic and KIP-848 groups have committed, in both
// homes. Offset and native records are two requests, and a live consumer may
// commit between them: so a difference counts once it has been seen twice.
func (s *Store) loadConsumers(ctx context.Context, before *Natives, groups []string, wanted Wanted) (map[string]*Loaded, []string) {
	result := map[string]*Loaded{}
	var notices []string
	seen := map[Key]pair{}
	for try := 1; len(groups) > 0; try++ {
		loaded, told := s.loadBoth(ctx, before, groups, wanted)
		if try == 1 {
			notices = told
		}
		maps.Copy(result, loaded)
		groups = nil
		for group, l := range loaded {
			if l.doubtful(seen, try == pairTries) {
				groups = append(groups, group)
			}
		}
	}
	return result, notices
}

// doubtful reports whether pairs of l do not match that were different, or not
// there, when last seen. When it is the last try, they are on the move.
func (l *Loaded) doubtful(seen map[Key]pair, last bool) (again bool) {
	if !l.native {
		return false
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		if e.Home != HomeNative {
			continue
		}
		from, moved := e.Moved()
		now := pair{e.Committed, from}
		if !moved || e.Pending || !e.HasState() || seen[e.Key] == now {
			continue
		}
		if last {
			e.Pending = true
			continue
		}
		seen[e.Key] = now
		again = true
	}
	return again
}

// loadBoth reads the groups' commits, and at the same time the native records that
// are not in before; and then what came to these meanwhile: the offset of a
// group's first commit would look plain without.
func (s *Store) loadBoth(ctx context.Context, before *Natives, groups []string, wanted Wanted) (map[string]*Loaded, []string) {
	var result map[string]*Loaded
	var found *nativeLogs
	var work sync.WaitGroup
	work.Go(func() { result = s.loadCommits(ctx, groups, wanted) })
	if before != nil {
		found = before.read
	} else {
		work.Go(func() { found = s.readNatives(ctx, groups) })
	}
	work.Wait()
	found.readOn(ctx, s)
	ids := map[[16]byte]bool{}
	for e := range found.all {
		ids[e.TopicID] = true
	}
	names, err := s.topicNames(ctx, ids)
	if err != nil {
		found.err = err
	}
	for group, l := range result {
		switch err := found.failure(group); {
		case errors.Is(err, ErrDenied):
			l.Unseen = err
		case err != nil && l.Err == nil:
			l.Err = err // gaps may be there: without them the group looks done
			l.Entries = nil
		}
	}
	var l *Loaded
	var index map[Key]int // of l's entries
	for e := range found.all {
		if l == nil || l.Group != e.Group {
			l, index = result[e.Group], nil
		}
		if l == nil || l.Err != nil && !errors.Is(l.Err, ErrNotFound) {
			continue
		}
		if index == nil {
			index = l.index()
		}
		if entry := newNativeEntry(e, names); wanted(entry.Topic, entry.Partition) {
			l.adopt(entry, index)
		}
	}
	// The end of a transaction is noted in one log after the other: also an offset
	// without native records may be half of a commit.
	for group, l := range result {
		if found.pending(group) {
			for i := range l.Entries {
				l.Entries[i].Pending = true
			}
		}
	}
	return result, found.notices()
}

func (l *Loaded) index() map[Key]int {
	index := make(map[Key]int, len(l.Entries))
	for i := range l.Entries {
		index[l.Entries[i].Key] = i
	}
	return index
}

// leftover is the anomaly of a commit in another format beside native records.
const leftover = "native-leftover"

// adopt joins a native entry to the commit of its partition. Native writers
// leave the commit's metadata empty: where there is some, the group has gone
// over to another format since, and the records count for nothing.
func (l *Loaded) adopt(native Entry, index map[Key]int) {
	l.Err, l.native = nil, true
	i, ok := index[native.Key]
	if !ok {
		l.Entries = append(l.Entries, native)
		return
	}
	commit := &l.Entries[i]
	if commit.Raw != "" {
		commit.Slots = native.Slots
		commit.Anomalies = append(slices.Clip(commit.Anomalies), codec.Anomaly{Kind: leftover,
			Message: "the native topic holds records for this partition too, which do not count beside the commit's metadata"})
		return
	}
	native.Committed, native.LeaderEpoch, native.Pending = commit.Committed, commit.LeaderEpoch, commit.Pending
	native.Err, native.MetadataLimit = errors.Join(native.Err, commit.Err), commit.MetadataLimit
	*commit = native
}
