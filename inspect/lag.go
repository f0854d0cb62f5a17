package inspect

import (
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// unknown stands for a count that is not known.
const unknown = gapstore.NoOffset

// knowsLog reports whether both ends of the log are known.
func (p *Partition) knowsLog() bool { return p.LogStart >= 0 && p.LogEnd >= 0 }

// Lag is log end − max(stable, log start), what plain tools mean to print;
// never below 0, and -1 when not known. Where only the start offset of a share
// partition is known, it stands for stable.
func (p *Partition) Lag() int64 {
	switch {
	case !p.knowsLog():
		return unknown
	case p.StartOnly() && p.Committed >= 0:
		return max(0, p.LogEnd-max(p.Committed, p.LogStart))
	case !p.HasState():
		return unknown
	}
	return max(0, p.LogEnd-max(p.State.Stable, p.LogStart))
}

// TrueLag is what really remains: the outstanding offsets that the log still
// holds, and all from max(max, log start) to the log end; -1 when not known.
// For a share group whose records' states can not be read, it is the lag that
// the cluster reports (KIP-1226).
func (p *Partition) TrueLag() int64 {
	switch {
	case p.StartOnly() && p.ReportedLag >= 0:
		return p.ReportedLag
	case !p.HasState() || !p.knowsLog():
		return unknown
	}
	held := p.State.Gaps.Clip(codec.Range{Start: p.LogStart, End: p.LogEnd}).Count()
	return held + max(0, p.LogEnd-max(p.State.Max, p.LogStart))
}

// Lost is the part of the gaps below the log start: retention has removed the
// records. It is empty when the log start is not known.
func (p *Partition) Lost() codec.Ranges {
	if !p.HasState() || p.LogStart < 0 {
		return codec.Ranges{}
	}
	return p.State.Gaps.Clip(codec.Range{Start: 0, End: p.LogStart})
}

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

// Level is the worst of what is known about the group. Something that could
// not be read is an error, except metadata of an unknown format, which has its
// own finding.
func (g *Group) Level() Level {
	worst := LevelOK
	raise := func(level Level) {
		if level.rank() > worst.rank() {
			worst = level
		}
	}
	if g.Err != nil {
		raise(LevelError)
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if p.Err != nil && !p.unknownFormat() {
			raise(LevelError)
		}
		for _, f := range p.Findings {
			raise(f.Level)
		}
	}
	return worst
}
