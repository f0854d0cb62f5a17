package repair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// Compact closes the gaps that hold no record which a consumer could get, moves
// the stable offset on over them, makes the state canonical, and writes it in
// the smallest encoding of its format. It changes the outcome of no record.
type Compact struct{}

// Name is "compact".
func (Compact) Name() string { return "compact" }

// Targets are none: all partitions of the snapshot are meant.
func (Compact) Targets() []Target { return nil }

func (Compact) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	if err := legible(p); err != nil {
		return proposal{}, err
	}
	if p.Format == "" {
		return keep(p), nil
	}
	before := current(p)
	// What lies below the log start is gone, gap or not: a commit there would
	// make the consumer fall back on auto.offset.reset.
	done := completed(before).Union(below(p.LogStart)).Union(before.Gaps.Intersect(p.Phantoms))
	after := stateOf(done)
	if p.Format == greyhound && after.Gaps.Len() > max(1, before.Gaps.Len()) {
		return proposal{}, fmt.Errorf("closing the phantoms would split the gap, and greyhound reads back no more than one")
	}
	c, err := encode(p, p.Format, after)
	if err != nil {
		return proposal{}, err
	}
	same := after.Equal(before) && p.State.Check() == nil && len(c.anomalies) >= len(p.Anomalies)
	if same && (tidy(p) || p.Format != nativeFormat && codec.MetadataSize(c.Metadata) >= p.Size) {
		return keep(p), nil
	}
	if p.Format != nativeFormat {
		c.Records = nil // what was left of native commits counts for nothing
	}
	return proposal{c, whyCompact(p, before, c)}, nil
}

// whyCompact says what the compaction of p, which is before, does.
func whyCompact(p *inspect.Partition, before codec.State, after Commit) string {
	var parts []string
	if lost := before.Gaps.Clip(codec.Range{Start: 0, End: p.LogStart}); !lost.Empty() {
		parts = append(parts, "closes what retention removed: "+lost.String())
	}
	held := before.Gaps.Sub(below(p.LogStart))
	if phantoms := held.Intersect(p.Phantoms); !phantoms.Empty() {
		parts = append(parts, "closes what holds no record: "+phantoms.String())
	}
	if err := p.State.Check(); err != nil {
		parts = append(parts, "makes it canonical: "+err.Error())
	}
	for _, a := range p.Anomalies {
		if !slices.Contains(after.anomalies, a) {
			parts = append(parts, "mends "+a.Kind)
		}
	}
	if p.Format == nativeFormat {
		return strings.Join(append(parts, whyTidy(p)...), "; ")
	}
	if size := codec.MetadataSize(after.Metadata); size < p.Size {
		parts = append(parts, fmt.Sprintf("%d characters instead of %d", size, p.Size))
	}
	return strings.Join(parts, "; ")
}
