package inspect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

func (p *Partition) unknownFormat() bool { return errors.Is(p.Err, codec.ErrUnknownFormat) }

func undecodable(_ *Group, p *Partition) *Finding {
	if p.Err == nil {
		return nil
	}
	var bad *codec.Error
	if !errors.As(p.Err, &bad) || p.unknownFormat() || p.lacksChunks() {
		return nil
	}
	f := &Finding{Kind: "undecodable", Level: LevelError, Message: "the gaps can not be read: " + bad.Error()}
	if p.Home == gapstore.HomeCommit {
		f.Message += "; to start from the committed offset, drop the metadata"
		f.Remedy = p.Command("reset", "--clear-metadata")
	}
	return f
}

func foreign(_ *Group, p *Partition) *Finding {
	switch {
	case p.unknownFormat():
		return &Finding{Kind: "foreign", Level: LevelWarn,
			Message: fmt.Sprintf("the metadata %s is of no known format: no gaps are read from it, and repairs leave it alone; if nobody needs it, reset --clear-metadata drops it and keeps the committed offset (gapctl history tells when it was written)", quoted(p.Raw)),
			Remedy:  p.Command("reset", "--clear-metadata")}
	case p.Foreign:
		writer := p.Format
		if format, ok := codec.Lookup(p.Format); ok && format.Writer != "" {
			writer = format.Writer
		}
		return &Finding{Kind: "foreign", Level: LevelInfo,
			Message: fmt.Sprintf("the metadata is that of %s (format %s); it holds no gaps, and there is nothing to do", writer, p.Format)}
	}
	return nil
}

func notCanonical(_ *Group, p *Partition) *Finding {
	if !p.HasState() || p.Foreign {
		return nil
	}
	err := p.State.Check()
	anomalies := slices.DeleteFunc(slices.Clone(p.Anomalies), hasItsOwnFinding)
	if err == nil && len(anomalies) == 0 {
		return nil
	}
	f := &Finding{Kind: "not-canonical", Level: LevelInfo}
	if err != nil {
		f.Level, f.Message, f.Ranges = LevelWarn, err.Error(), p.State.Gaps
	}
	for _, a := range anomalies {
		if f.Message != "" {
			f.Message += "; "
		}
		f.Message += a.Kind + ": " + a.Message
	}
	if p.Home != gapstore.HomeShareState {
		f.Remedy = p.Command("compact")
	}
	return f
}
