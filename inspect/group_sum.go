package inspect

import (
	"slices"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// sum adds up what is known of the partitions; -1 when nothing is.
func (g *Group) sum(of func(p *Partition) int64) int64 {
	total := unknown
	for i := range g.Partitions {
		if n := of(&g.Partitions[i]); n >= 0 {
			total = max(0, total) + n
		}
	}
	return total
}

// Outstanding is the number of offsets in gaps, summed over the partitions
// where it is known; -1 when it is known for none. So are the sums below.
func (g *Group) Outstanding() int64 {
	return g.sum(func(p *Partition) int64 {
		if !p.HasState() {
			return unknown
		}
		return p.State.Outstanding()
	})
}

// GapCount is the number of gaps.
func (g *Group) GapCount() int64 {
	return g.sum(func(p *Partition) int64 {
		if !p.HasState() {
			return unknown
		}
		return int64(p.State.Gaps.Len())
	})
}

// Lag is the sum of [Partition.Lag].
func (g *Group) Lag() int64 { return g.sum((*Partition).Lag) }

// TrueLag is the sum of [Partition.TrueLag].
func (g *Group) TrueLag() int64 { return g.sum((*Partition).TrueLag) }

// OldestGapAt is the earliest of the partitions'; zero when none is known.
func (g *Group) OldestGapAt() time.Time {
	var oldest time.Time
	for i := range g.Partitions {
		if at := g.Partitions[i].OldestGapAt; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}

// Formats are the formats in which the group holds gaps, sorted.
func (g *Group) Formats() []string {
	var formats []string
	for i := range g.Partitions {
		if format := gapFormat(g.Partitions[i].Entry); format != "" && !slices.Contains(formats, format) {
			formats = append(formats, format)
		}
	}
	slices.Sort(formats)
	return formats
}

// gapFormat is the entry's format when that holds gaps, otherwise "".
func gapFormat(e *gapstore.Entry) string {
	if e.Foreign {
		return ""
	}
	return e.Format
}

// holdsGaps reports whether the group has gap commits, or may have some that
// can not be read.
func (g *Group) holdsGaps() bool {
	return g.Err != nil || slices.ContainsFunc(g.Partitions, func(p Partition) bool {
		return p.Err != nil && !p.HasState() || gapFormat(p.Entry) != ""
	})
}
