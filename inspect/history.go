package inspect

import (
	"context"
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// Commit is one commit of a group that an internal topic still holds.
type Commit struct {
	At time.Time
	// Topic is the topic's name, or, where only the ID is known, that in
	// Kafka's text form.
	Topic     string
	Partition int32
	// Log is where the record is, and Offset which one it is there.
	Log    gapstore.LogPlace
	Offset int64
	// Deleted is true when the commit was deleted or has expired.
	Deleted bool
	// Committed is Kafka's committed offset (share groups: the start offset), or
	// [gapstore.NoOffset].
	Committed int64
	// Known is whether Stable, Max, GapCount and Outstanding are.
	Known            bool
	Stable, Max      int64 // as in [codec.State]
	GapCount         int
	Outstanding      int64 // offsets in gaps
	Format, Encoding string
	// Compared is false when no earlier commit is known to compare with.
	Compared bool
	// Closed are offsets that were in gaps before, and are done; Opened are in
	// gaps, and were not in any before; Undone were done before, and are not
	// any more.
	Closed, Opened, Undone Moved
	// Err is why the commit can not be read.
	Err error
}

// Moved is offsets that moved from one state to another.
type Moved struct {
	Count  int64        // of all of them
	Ranges codec.Ranges // the first of them, up to movedRanges ranges
}

// movedRanges bounds what is kept of one change: a single commit can hold a
// million gaps.
const movedRanges = 1000

func newMoved(ranges codec.Ranges) Moved {
	m := Moved{Count: ranges.Count(), Ranges: ranges}
	if ranges.Len() > movedRanges {
		first := make([]codec.Range, 0, movedRanges)
		for r := range ranges.All() {
			if len(first) == movedRanges {
				break
			}
			first = append(first, r)
		}
		m.Ranges = codec.NewRanges(first...)
	}
	return m
}

// HistoryQuery says which commits of a group to read.
type HistoryQuery struct {
	Topics Topics // empty: of all
	// Limit is how many of the newest are kept; above 0.
	Limit int
}

// History is the newest commits of a group.
type History struct {
	Commits []Commit // in order of time
	Earlier int      // how many more there are, before these
	// Logs are those that were read through.
	Logs []gapstore.LogPlace
}

// ReadHistory reads the commits of g that the internal topics still hold, those
// of transactions only if they committed. It reads the logs that keep them to
// the end, but keeps only the newest commits. The error is an [*gapstore.Error].
func ReadHistory(ctx context.Context, store *gapstore.Store, g *Group, q HistoryQuery) (History, error) {
	var all History
	sources, err := historySources(ctx, store, g)
	if err != nil {
		return all, err
	}
	for _, source := range sources {
		all.Logs = append(all.Logs, source.log)
		commits := newestCommits{limit: q.Limit}
		for record, err := range store.ReadLog(ctx, source.log, source.wants) {
			if err != nil {
				return all, historyFailure(source.log.Topic, err)
			}
			if c, ok := source.read(record); ok && q.Topics.Match(c.Topic, c.Partition) {
				c.Log, c.Offset = source.log, record.Offset
				commits.add(c)
			}
		}
		all.Commits = append(all.Commits, commits.kept()...)
		all.Earlier += commits.dropped
	}
	slices.SortStableFunc(all.Commits, func(a, b Commit) int { return a.At.Compare(b.At) })
	if more := len(all.Commits) - q.Limit; more > 0 {
		all.Commits = all.Commits[more:]
		all.Earlier += more
	}
	return all, nil
}

// newestCommits keeps the newest of any number of commits that come in order.
type newestCommits struct {
	limit   int
	commits []Commit // fewer than twice the limit, so that few are moved
	dropped int      // how many were let go
}

func (n *newestCommits) add(c Commit) {
	if n.commits = append(n.commits, c); len(n.commits) >= 2*n.limit {
		n.commits = append(n.commits[:0], n.kept()...)
	}
}

func (n *newestCommits) kept() []Commit {
	more := max(0, len(n.commits)-n.limit)
	n.dropped += more
	n.commits = n.commits[more:]
	return n.commits
}
