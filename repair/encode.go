package repair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

const (
	parallelConsumer = "parallel-consumer"
	greyhound        = "greyhound"
	pyrallel         = "pyrallel"
)

// The most that the libraries write themselves, whatever the broker takes.
const (
	parallelConsumerLimit = 4096 // OffsetMapCodecManager.DefaultMaxMetadataSize
	pyrallelLimit         = 4000
)

// encode is the commit of p that says s in a format. It is read again before it
// is believed.
func encode(p *inspect.Partition, format string, s codec.State) (Commit, error) {
	if format == nativeFormat {
		return nativeAt(p, s)
	}
	if format == "" {
		if !s.Gaps.Empty() {
			return Commit{}, errors.New("gaps would be left, and the commit has no format to write them in: --gap-format, or gapctl convert, gives it one")
		}
		return commitAt(p, s.Stable, ""), nil
	}
	c, err := write(p, format, readable(p, format), s)
	if err == nil && format == pyrallel && certain(c.anomalies) != nil {
		c, err = write(p, format, "ranges", s)
	}
	switch {
	case err != nil:
		return Commit{}, err
	case c.Err != nil:
		return Commit{}, fmt.Errorf("what would be written can not be read back: %w", c.Err)
	case !c.State.Equal(s):
		return Commit{}, fmt.Errorf("%s has no room for these gaps: it would keep %d of %d outstanding offsets", format, c.State.Outstanding(), s.Outstanding())
	}
	return c, nil
}

// write is s in the encoding, or in the smallest that there is.
func write(p *inspect.Partition, format, encoding string, s codec.State) (Commit, error) {
	limit := roomFor(p, format)
	if encoding == "" {
		out, err := codec.Smallest(format, s, limit)
		return commitAt(p, out.Committed, out.Metadata), err
	}
	out, err := codec.Encode(s, format, encoding)
	if err == nil && limit > 0 && out.Size > limit {
		err = fmt.Errorf("%s needs %d characters, the limit is %d", format, out.Size, limit)
	}
	return commitAt(p, out.Committed, out.Metadata), err
}

// roomFor is how many characters a commit of p may have: what the broker
// takes, and no more than the format's own library writes; 0 for no limit.
func roomFor(p *inspect.Partition, format string) int {
	limit := p.SizeLimit
	if p.Home == gapstore.HomeNative {
		limit = p.MetadataLimit
	}
	own := map[string]int{parallelConsumer: parallelConsumerLimit, pyrallel: pyrallelLimit}[format]
	if own == 0 || limit > 0 && limit < own {
		return limit
	}
	return own
}

// readable is the encoding that a reader of p's commit surely knows, where not
// every release knows them all; otherwise "". Greyhound wrote plain text for a
// month before it zipped it, and pyrallel-consumer's early bits are not what
// later ones are.
func readable(p *inspect.Partition, format string) string {
	switch {
	case p.Format != format:
	case format == greyhound && p.Encoding == "text":
		return "text"
	case format == pyrallel && p.Encoding == "bits":
		return "ranges"
	}
	return ""
}

// commitAt is a commit for p with that metadata. A leader epoch belongs to its offset: with
// another one consumers could take it for a truncated log (KIP-320).
func commitAt(p *inspect.Partition, offset int64, metadata string) Commit {
	epoch := int32(-1)
	if offset == p.Committed {
		epoch = p.LeaderEpoch
	}
	return newCommit(offset, epoch, metadata).beside(leftover(p))
}

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
