package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// The bounds of a sample.
const (
	sampledOffsets = 64      // outstanding ones per partition, and done ones
	sampledInAll   = 100_000 // offsets
	sampledHeaders = 16      // per record
	sampledBytes   = 256     // of a key, or of a header's value: what is longer is no trait
	leastStuck     = 3       // records, for something to be common to them
)

// sample is some of the records of groups: the oldest outstanding ones, and for
// comparison as many that are done.
type sample struct {
	partitions map[gapstore.Key]*partitionSample
}

// partitionSample is the sample of one partition of a group.
type partitionSample struct {
	asked codec.Ranges // offsets
	got   []sampledRecord
}

// sampledRecord is what is kept of a record.
type sampledRecord struct {
	offset int64
	at     time.Time
	traits []trait
}

// trait is a key, or a header with its value.
type trait struct {
	header string // "" stands for the key
	isKey  bool
	value  string
}

// newSample chooses what to read: partitions of topics in which a group has
// enough outstanding to find something in common, and those whose map leaves
// open where their consumer would start.
func newSample(groups []Group) *sample {
	s := &sample{partitions: map[gapstore.Key]*partitionSample{}}
	for i := range groups {
		g := &groups[i]
		outstanding := map[string]int64{} // by topic
		for k := range g.Partitions {
			if p := &g.Partitions[k]; p.HasState() {
				outstanding[p.Topic] += p.State.Outstanding()
			}
		}
		for k := range g.Partitions {
			p := &g.Partitions[k]
			if !p.HasState() || !p.knowsLog() || outstanding[p.Topic] < leastStuck && p.State.Stable == p.Committed {
				continue
			}
			if asked := p.sampleOffsets(); !asked.Empty() {
				s.partitions[p.Key] = &partitionSample{asked: asked}
			}
		}
	}
	return s
}

// sampleOffsets are the first offsets in gaps, and the first that are done, from
// the committed one on.
func (p *Partition) sampleOffsets() codec.Ranges {
	log := codec.Range{Start: max(0, p.LogStart), End: p.LastStable}
	gaps := firstOffsets(p.State.Gaps.Clip(log), sampledOffsets)
	from := max(0, min(p.Committed, p.State.Stable), log.Start)
	done := span(from, min(p.State.Max, log.End)).Sub(p.State.Gaps)
	return gaps.Union(firstOffsets(done, sampledOffsets))
}

// firstOffsets are the first n offsets of ranges.
func firstOffsets(ranges codec.Ranges, n int64) codec.Ranges {
	var first []codec.Range
	for r := range ranges.All() {
		if n <= 0 {
			break
		}
		r.End = min(r.End, r.Start+n)
		n -= r.Len()
		first = append(first, r)
	}
	return codec.NewRanges(first...)
}

// read fills in the sample. What can not be read is a notice. The error is that
// nothing more could be read.
func (s *sample) read(ctx context.Context, store *gapstore.Store) (notices []string, err error) {
	byPlace := map[place][]*partitionSample{}
	var targets []gapstore.Target
	left, skipped := int64(sampledInAll), 0
	for _, key := range slices.SortedFunc(maps.Keys(s.partitions), compareKeys) {
		p := s.partitions[key]
		if left -= p.asked.Count(); left < 0 {
			delete(s.partitions, key)
			skipped++
			continue
		}
		at := place{key.Topic, key.Partition}
		byPlace[at] = append(byPlace[at], p)
		targets = append(targets, gapstore.Target{Topic: key.Topic, Partition: key.Partition, Ranges: p.asked})
	}
	if skipped > 0 {
		notices = append(notices, fmt.Sprintf("what the stuck records have in common was not looked for in %s: there are too many; check fewer groups", Plural(skipped, "partition")))
	}
	for found, err := range store.ReadRecords(ctx, targets, gapstore.ReadOptions{}) {
		at := place{found.Topic, found.Partition}
		switch {
		case err != nil && found.Topic == "":
			return notices, err
		case err != nil:
			for _, p := range byPlace[at] {
				p.asked = codec.Ranges{} // it is not known what lies there
			}
			if notice := fmt.Sprintf("what stuck records have in common is not known everywhere: %v", err); !slices.Contains(notices, notice) {
				notices = append(notices, notice)
			}
		case found.Record != nil:
			kept := sampledRecord{found.Record.Offset, found.Record.Timestamp, traitsOf(found.Record)}
			for _, p := range byPlace[at] {
				if p.asked.Contains(kept.offset) {
					p.got = append(p.got, kept)
				}
			}
		}
	}
	return notices, nil
}

// traitsOf are what the record may have in common with others.
func traitsOf(r *kgo.Record) []trait {
	var traits []trait
	if r.Key != nil && len(r.Key) <= sampledBytes {
		traits = append(traits, trait{isKey: true, value: string(r.Key)})
	}
	for _, h := range r.Headers[:min(len(r.Headers), sampledHeaders)] {
		t := trait{header: h.Key, value: string(h.Value)}
		if len(h.Key) <= sampledBytes && len(h.Value) <= sampledBytes && !slices.Contains(traits, t) {
			traits = append(traits, t)
		}
	}
	return traits
}

// firstGiven is the offset of the first record that a consumer of p is given, -1
// when it is not known. Not sure: it is not known whether there is one below the
// stable offset.
func (s *sample) firstGiven(p *Partition) (offset int64, sure bool) {
	switch {
	case p.Committed >= p.State.Stable:
		return p.Committed, true
	case p.LogStart >= p.State.Stable:
		return p.LogStart, true
	case s == nil || s.partitions[p.Key] == nil:
		return -1, false
	}
	sampled := s.partitions[p.Key]
	for _, record := range sampled.got {
		if record.offset >= p.Committed && record.offset < p.State.Stable {
			return record.offset, true
		}
	}
	below := span(max(p.Committed, p.LogStart), p.State.Stable)
	if below.Sub(sampled.asked).Empty() {
		return p.State.Stable, true
	}
	return -1, false
}
