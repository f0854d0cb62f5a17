package repair

import (
	"errors"
	"fmt"

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
	c, err := encodeAs(p, format, readable(p, format), s)
	if err == nil && format == pyrallel && certain(c.anomalies) != nil {
		c, err = encodeAs(p, format, "ranges", s)
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

// encodeAs is s in the encoding, or in the smallest of the format where that is
// "".
func encodeAs(p *inspect.Partition, format, encoding string, s codec.State) (Commit, error) {
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

// commitAt is a commit for p with that metadata. A leader epoch belongs to its
// offset: with another one consumers could take it for a truncated log (KIP-320).
func commitAt(p *inspect.Partition, offset int64, metadata string) Commit {
	epoch := int32(-1)
	if offset == p.Committed {
		epoch = p.LeaderEpoch
	}
	return newCommit(offset, epoch, metadata).beside(leftover(p))
}
