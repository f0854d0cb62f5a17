package inspect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
)

// The anomalies of native commits that have a finding of their own.
const (
	anomalyMissingChunk = "missing-chunk"
	anomalyMissingHead  = "missing-head"
	anomalyLeftover     = "native-leftover"
)

func hasItsOwnFinding(a codec.Anomaly) bool {
	return a.Kind == anomalyMissingChunk || a.Kind == anomalyMissingHead || a.Kind == anomalyLeftover
}

// anomaly is the first anomaly of one of those kinds.
func (p *Partition) anomaly(kinds ...string) (codec.Anomaly, bool) {
	i := slices.IndexFunc(p.Anomalies, func(a codec.Anomaly) bool { return slices.Contains(kinds, a.Kind) })
	if i < 0 {
		return codec.Anomaly{}, false
	}
	return p.Anomalies[i], true
}

func (p *Partition) lacksChunks() bool {
	_, lacks := p.anomaly(anomalyMissingChunk, anomalyMissingHead)
	return lacks && errors.Is(p.Err, codec.ErrCorrupt)
}

func missingChunk(_ *Group, p *Partition) *Finding {
	if !p.lacksChunks() {
		return nil
	}
	a, _ := p.anomaly(anomalyMissingChunk, anomalyMissingHead)
	return &Finding{
		Kind: anomalyMissingChunk, Level: LevelError,
		Message: "records of this commit are missing from the native topic, so that outstanding records would look done: " + a.Message +
			"; no consumer goes on from here; to start from the committed offset, drop the gaps",
		Remedy: p.Command("reset", "--clear-metadata"),
	}
}

// diverged compares the two halves of a native commit, which are written in one
// transaction.
func diverged(_ *Group, p *Partition) *Finding {
	from, moved := p.Moved()
	if !moved || !p.HasState() || p.Pending {
		return nil
	}
	f := &Finding{Kind: "diverged", Level: LevelWarn, Remedy: p.Command("compact")}
	if p.Committed > from {
		f.Ranges = p.State.Gaps.Clip(codec.Range{Start: 0, End: p.Committed})
		f.Message = fmt.Sprintf("another program has moved the committed offset from %d to %d: a native consumer takes all below as done", from, p.Committed)
	} else {
		f.Ranges = span(p.Committed, p.State.Max)
		f.Message = fmt.Sprintf("another program has moved the committed offset back from %d to %d: a native consumer takes all from there as outstanding", from, p.Committed)
	}
	return f
}

func nativeLeftover(_ *Group, p *Partition) *Finding {
	a, ok := p.anomaly(anomalyLeftover)
	if !ok {
		return nil
	}
	return &Finding{Kind: anomalyLeftover, Level: LevelInfo, Message: a.Message, Remedy: p.Command("compact")}
}
