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
}

// Wanted tells which partitions to load.
type Wanted func(topic string, partition int32) bool

// Load reads what groups have committed for the wanted partitions (nil: all),
// in the order of refs. It never joins a group and never writes. What can not
// be read is there with its error; notices say, once each, what a missing right
// or feature keeps from view.
func (s *Store) Load(ctx context.Context, refs []Ref, wanted Wanted) (loaded []Loaded, notices []string) {
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
	work.Go(func() { committed, told = s.loadConsumers(ctx, commits, wanted) })
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
		slices.SortFunc(loaded[i].Entries, compareEntries)
	}
	return loaded, notices
}

func compareEntries(a, b Entry) int {
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

// decodeAll decodes the metadata of entries, on all processors when there are
// many.
func decodeAll(entries []Entry) {
	const few = 64
	size := max(few, (len(entries)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for part := range slices.Chunk(entries, size) {
		if len(part) == len(entries) {
			decodeEach(part)
			return
		}
		work.Go(func() { decodeEach(part) })
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
