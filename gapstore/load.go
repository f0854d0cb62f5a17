package gapstore

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/gapctl/gapctl/codec"
)

// Ref names a group to load.
type Ref struct {
	Group string
	Share bool // a share group (KIP-932): its gaps are in the share coordinator's state
}

// Loaded is what one group has committed.
type Loaded struct {
	Group   string
	Entries []Entry // sorted by topic, then partition
	// DeliveryLimit is how often a share group delivers a record before it is
	// archived (share.delivery.count.limit); 0 when not known.
	DeliveryLimit int
	// Err is why the group could not be read; Entries is then empty.
	Err error
	// Unseen is why the group's native commits, if it has any, are not among
	// Entries, for want of a right; nil when they are. A commit without metadata
	// may then have gaps all the same.
	Unseen error

	native bool // some of Entries are native commits
}

// Wanted tells which partitions to load.
type Wanted func(topic string, partition int32) bool

// Load reads what groups have committed for the wanted partitions (nil: all),
// in the order of refs. It never joins a group and never writes. What can not
// be read is there with its error; notices say, once each, what a missing right
// or feature keeps from view.
func (s *Store) Load(ctx context.Context, refs []Ref, wanted Wanted) (loaded []Loaded, notices []string) {
	return s.LoadWith(ctx, nil, refs, wanted)
}

// LoadWith is Load with native commits that have been read before, so that only
// what is new of them is read.
func (s *Store) LoadWith(ctx context.Context, natives *Natives, refs []Ref, wanted Wanted) (loaded []Loaded, notices []string) {
	if wanted == nil {
		wanted = func(string, int32) bool { return true }
	}
	var commits, shares []string
	for _, ref := range refs {
		if ref.Share {
			shares = append(shares, ref.Group)
		} else {
			commits = append(commits, ref.Group)
		}
	}
	var committed, shared map[string]*Loaded
	var told []string
	var work sync.WaitGroup
	work.Go(func() { committed, told = s.loadConsumers(ctx, natives, commits, wanted) })
	work.Go(func() { shared, notices = s.loadShares(ctx, shares, wanted) })
	work.Wait()
	notices = append(notices, told...)
	loaded = make([]Loaded, len(refs))
	for i, ref := range refs {
		from := committed
		if ref.Share {
			from = shared
		}
		loaded[i] = *from[ref.Group]
		if ref.Share || loaded[i].native { // commits are made in order
			sortEntries(loaded[i].Entries)
		}
	}
	return loaded, notices
}

// sortEntries sorts by topic, then partition, as they mostly are; for to compare
// them by value is to copy them.
func sortEntries(entries []Entry) {
	for i := range entries[min(1, len(entries)):] {
		if compareEntries(&entries[i], &entries[i+1]) > 0 {
			slices.SortFunc(entries, func(a, b Entry) int { return compareEntries(&a, &b) })
			return
		}
	}
}

func compareEntries(a, b *Entry) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// blank is a Loaded per group, to be filled.
func blank(groups []string) map[string]*Loaded {
	m := make(map[string]*Loaded, len(groups))
	for _, group := range groups {
		m[group] = &Loaded{Group: group}
	}
	return m
}

// decodeAll decodes the metadata of entries.
func decodeAll(entries []Entry) { spread(entries, decodedAlone, decodeEach) }

// decodedAlone is how many entries are decoded sooner than divided.
const decodedAlone = 1024

// spread calls do with parts of list, on all processors at the same time; with
// all of it when these are no more than few.
func spread[T any](list []T, few int, do func(part []T)) {
	parts := min(runtime.GOMAXPROCS(0), (len(list)+few-1)/few)
	if parts < 2 {
		do(list)
		return
	}
	var work sync.WaitGroup
	for part := range slices.Chunk(list, (len(list)+parts-1)/parts) {
		work.Go(func() { do(part) })
	}
	work.Wait()
}

func decodeEach(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Err != nil || e.Committed < 0 {
			continue
		}
		d, err := codec.Decode(e.Raw, e.Committed)
		if err != nil {
			e.Err, e.Size = err, codec.MetadataSize(e.Raw)
			if bad := (*codec.Error)(nil); errors.As(err, &bad) {
				e.Format, e.Encoding = bad.Format, bad.Encoding
			}
			continue
		}
		e.Format, e.Encoding, e.Foreign = d.Format, d.Encoding, d.Foreign
		e.State, e.Size, e.Anomalies = d.State, d.Size, d.Anomalies
	}
}
