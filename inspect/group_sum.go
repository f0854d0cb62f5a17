package inspect

import (
	"slices"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// Sums are what is known of a group's partitions, added up. A sum leaves out
// those of which it is not known, and is -1 when it is known of none.
type Sums struct {
	Outstanding  int64 // offsets in gaps
	GapCount     int64
	Lag, TrueLag int64 // see [Partition.Lag], [Partition.TrueLag]
	// OldestGapAt is the earliest of the partitions'; zero when none is known.
	OldestGapAt time.Time
}

// Sums adds up what is known of the partitions.
func (g *Group) Sums() Sums {
	s := Sums{Outstanding: unknown, GapCount: unknown, Lag: unknown, TrueLag: unknown}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if p.HasState() {
			add(&s.Outstanding, p.State.Outstanding())
			add(&s.GapCount, int64(p.State.Gaps.Len()))
		}
		add(&s.Lag, p.Lag())
		add(&s.TrueLag, p.TrueLag())
		if at := p.OldestGapAt; !at.IsZero() && (s.OldestGapAt.IsZero() || at.Before(s.OldestGapAt)) {
			s.OldestGapAt = at
		}
	}
	return s
}

// add adds n to a sum, unless it is not known.
func add(sum *int64, n int64) {
	if n >= 0 {
		*sum = max(0, *sum) + n
	}
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
