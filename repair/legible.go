package repair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// legible is nil when it is certain what the commit of p means.
func legible(p *inspect.Partition) error {
	switch {
	case p.Err != nil && !p.HasState():
		return fmt.Errorf("the gaps can not be read, so they are not overwritten: %w", p.Err)
	case p.Foreign:
		return fmt.Errorf("the metadata is that of %s and holds no gaps: it is not overwritten", p.Format)
	}
	return certain(p.Anomalies)
}

// certain is nil unless one of the anomalies is a doubt.
func certain(anomalies []codec.Anomaly) error {
	for _, a := range anomalies {
		if slices.Contains(doubtful[:], a.Kind) {
			return fmt.Errorf("it is not certain what the gaps mean (%s): %s", a.Kind, a.Message)
		}
	}
	return nil
}

// doubtful are the anomalies of commits that different readers take for
// different things, or that hold more than gaps.
var doubtful = [...]string{
	"ambiguous", "base-differs", "committed-differs", "huge-span", "envelope", "map-dropped",
	"short-bits", "odd-tail", "empty-body", "unloadable",
}

// reachable is nil when a commit of p can be written.
func reachable(p *inspect.Partition) error {
	switch {
	case p.Home != gapstore.HomeCommit && p.Home != gapstore.HomeNative:
		return errors.New("its gaps are not kept in a commit")
	case p.Pending:
		return errors.New("a transaction that is still open is about to change the commit")
	case p.Err != nil && p.HasState():
		return fmt.Errorf("its log can not be read: %w", p.Err)
	case p.Committed < 0 && p.Err != nil:
		return p.Err
	case p.Committed < 0:
		return errors.New("nothing is committed for it")
	case p.Err == nil && p.LogEnd < 0:
		return errors.New("the topic or partition does not exist (any more)")
	}
	return nil
}
