package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// Commit is a partition's commit, byte for byte, and what it means.
type Commit struct {
	// Offset is Kafka's committed offset, gapstore.NoOffset where nothing is
	// committed; LeaderEpoch is -1 when unset.
	Offset      int64
	LeaderEpoch int32
	// Metadata is the text, verbatim. It may be hostile.
	Metadata string
	// Records are what the native topic holds of the partition, slot by slot
	// and in its order. They count where there is no metadata.
	Records []codec.Record
	// Format and Encoding name how the gaps are written; "" without metadata.
	Format, Encoding string
	// State is the meaning, unless Err says why there is none.
	State codec.State
	Err   error

	anomalies []codec.Anomaly
}

// noCommit is what a partition has for which nothing is committed.
func noCommit() Commit { return Commit{Offset: gapstore.NoOffset, LeaderEpoch: -1} }

// none reports whether there is no commit.
func (c Commit) none() bool { return c.Offset < 0 }

// newCommit decodes the bytes of a commit, unless there is none.
func newCommit(offset int64, leaderEpoch int32, metadata string) Commit {
	if offset < 0 {
		return noCommit()
	}
	c := Commit{Offset: offset, LeaderEpoch: leaderEpoch, Metadata: metadata}
	d, err := codec.Decode(metadata, offset)
	c.Format, c.Encoding, c.State, c.Err, c.anomalies = d.Format, d.Encoding, d.State, err, d.Anomalies
	return c
}

// commitOf is the commit of p as it stands.
func commitOf(p *inspect.Partition) Commit {
	return newCommit(p.Committed, p.LeaderEpoch, p.Raw).with(p.NativeRecords())
}

// same reports whether c and d are the same bytes.
func (c Commit) same(d Commit) bool {
	return c.Offset == d.Offset && c.LeaderEpoch == d.LeaderEpoch && c.Metadata == d.Metadata && sameRecords(c.Records, d.Records)
}

// digest stands for the bytes of c.
func (c Commit) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %q %x", c.Offset, c.LeaderEpoch, c.Metadata, digestRecords(c.Records)))
	return hex.EncodeToString(sum[:])
}

// completed is what the commit says is done; all below the committed offset
// where the bytes can not be read.
func (c Commit) completed() codec.Ranges {
	if c.Err != nil {
		return below(c.Offset)
	}
	return completed(c.State)
}

// completed is every offset that s says is done.
func completed(s codec.State) codec.Ranges { return below(max(s.Stable, s.Max)).Sub(s.Gaps) }

// stateOf is the state in which exactly the offsets of done are done.
func stateOf(done codec.Ranges) codec.State {
	end := done.Bounds().End
	return codec.State{Max: end, Gaps: below(end).Sub(done)}.Normalize()
}

// below is the offsets from 0 up to end, which is not among them.
func below(end int64) codec.Ranges { return codec.NewRanges(codec.Range{Start: 0, End: end}) }

// onWire is the commit as the store writes and reads it.
func (c Commit) onWire(t Target, topicID [16]byte) gapstore.OffsetCommit {
	return gapstore.OffsetCommit{Topic: t.Topic, Partition: t.Partition, TopicID: topicID,
		Offset: c.Offset, LeaderEpoch: c.LeaderEpoch, Metadata: c.Metadata}
}
