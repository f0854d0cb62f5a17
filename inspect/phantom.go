package inspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// FindPhantoms fills in the Phantoms of the partitions of s, and judges anew.
// It reads the logs around the gaps, read-committed, and nothing between. What
// read-committed readers do not get yet is no phantom. A log that can not be
// read is a notice of s, and the phantoms that were found in it stay. The error
// is that nothing more could be read.
func FindPhantoms(ctx context.Context, store *gapstore.Store, s *Snapshot) error {
	empty, err := readEmpty(ctx, store, s)
	eachPartition(s.Groups, func(p *Partition) {
		if p.HasState() {
			p.Phantoms = p.State.Gaps.Intersect(codec.NewRanges(empty[p.place()]...))
		}
	})
	for i := range s.Groups {
		judge(&s.Groups[i])
	}
	return err
}

// readEmpty is the ranges in the gaps of s that hold no record, by place.
func readEmpty(ctx context.Context, store *gapstore.Store, s *Snapshot) (map[place][]codec.Range, error) {
	var targets []gapstore.Target
	eachPartition(s.Groups, func(p *Partition) {
		if p.HasState() && !p.State.Gaps.Empty() && p.knowsLog() {
			targets = append(targets, gapstore.Target{Topic: p.Topic, Partition: p.Partition, Ranges: p.State.Gaps})
		}
	})
	empty := map[place][]codec.Range{}
	for found, err := range store.ReadRecords(ctx, targets, gapstore.ReadOptions{}) {
		switch {
		case err != nil && found.Topic == "":
			return empty, err
		case err != nil:
			notice := fmt.Sprintf("gaps without records are not all known: %v", err)
			if !slices.Contains(s.Notices, notice) {
				s.Notices = append(s.Notices, notice)
			}
		case found.Record == nil:
			at := place{found.Topic, found.Partition}
			empty[at] = append(empty[at], found.Offsets)
		}
	}
	return empty, nil
}

// phantom warns of gaps that nothing but a repair will ever close.
func phantom(_ *Group, p *Partition) *Finding {
	if p.Phantoms.Empty() {
		return nil
	}
	f := &Finding{
		Kind: "phantom", Level: LevelInfo, Ranges: p.Phantoms,
		Message: fmt.Sprintf("outstanding, but there is no record that a consumer could get (transaction markers, aborted transactions, log compaction): %s", Plural(p.Phantoms.Count(), "offset")),
		Remedy:  p.Command("compact"),
	}
	for gap := range p.State.Gaps.All() {
		if p.Phantoms.Clip(gap).Count() == gap.Len() {
			f.Level = LevelWarn
			f.Message += "; such a gap never closes by itself"
			break
		}
	}
	return f
}
