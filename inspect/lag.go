package inspect

import (
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
