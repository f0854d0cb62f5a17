package inspect

import "github.com/gapctl/gapctl/codec"

// HistoryView is the commits of one group, in order of time.
type HistoryView struct {
	ClusterHead
	Group   string       `json:"group"`
	Commits []CommitView `json:"commits"`
	// Earlier is how many commits are held that are not shown.
	Earlier Count `json:"earlier"`
}

// CommitView is one commit, and what it changed against the one before it.
// Ranges of a change are at most the first thousand; the counts are of all.
type CommitView struct {
	Time        Time         `json:"time"`
	Topic       string       `json:"topic"`
	Partition   int32        `json:"partition"`
	Committed   Count        `json:"committed"`
	Stable      Count        `json:"stable"`
	Max         Count        `json:"max"`
	GapCount    Count        `json:"gap_count"`
	Outstanding Count        `json:"outstanding"`
	Format      Name         `json:"format"`
	Encoding    Name         `json:"encoding"`
	Deleted     bool         `json:"deleted"`
	Compared    bool         `json:"compared"` // false: no commit before it is known
	Closed      codec.Ranges `json:"closed"`
	ClosedCount Count        `json:"closed_count"`
	Opened      codec.Ranges `json:"opened"`
	OpenedCount Count        `json:"opened_count"`
	Undone      codec.Ranges `json:"undone"`
	UndoneCount Count        `json:"undone_count"`
	LogTopic    string       `json:"log_topic"`
	LogPart     int32        `json:"log_partition"`
	LogOffset   int64        `json:"log_offset"`
	Error       *ErrorView   `json:"error"`
}

// NewHistoryView shows h, which is of the group of that name.
func NewHistoryView(s Snapshot, group string, h History) HistoryView {
	v := HistoryView{clusterHead("history", s), group, make([]CommitView, len(h.Commits)), Count(h.Earlier)}
	for i := range h.Commits {
		v.Commits[i] = newCommitView(&h.Commits[i])
	}
	return v
}

func newCommitView(c *Commit) CommitView {
	v := CommitView{
		Time: Time{c.At}, Topic: c.Topic, Partition: c.Partition, Committed: Count(c.Committed),
		Stable: -1, Max: -1, GapCount: -1, Outstanding: -1, ClosedCount: -1, OpenedCount: -1, UndoneCount: -1,
		Format: Name(c.Format), Encoding: Name(c.Encoding), Deleted: c.Deleted, Compared: c.Compared,
		LogTopic: c.Log.Topic, LogPart: c.Log.Partition, LogOffset: c.Offset, Error: newErrorView(c.Err),
	}
	if c.Known {
		v.Stable, v.Max, v.GapCount, v.Outstanding = Count(c.Stable), Count(c.Max), Count(c.GapCount), Count(c.Outstanding)
	}
	if c.Compared {
		v.Closed, v.ClosedCount = c.Closed.Ranges, Count(c.Closed.Count)
		v.Opened, v.OpenedCount = c.Opened.Ranges, Count(c.Opened.Count)
		v.Undone, v.UndoneCount = c.Undone.Ranges, Count(c.Undone.Count)
	}
	return v
}

// Tables is one row per commit.
func (v HistoryView) Tables(layout Layout) []Table {
	columns := []Column{{Name: "TIME"}}
	if layout == Flat {
		columns = append(columns, Column{Name: "TOPIC"}, Column{Name: "PARTITION", Right: true})
	} else {
		columns = append(columns, Column{Name: "TOPIC/PARTITION"})
	}
	columns = append(columns,
		Column{Name: "STABLE", Right: true}, Column{Name: "MAX", Right: true}, Column{Name: "OUTSTANDING", Right: true},
		Column{Name: "CLOSED", Right: true}, Column{Name: "OPENED", Right: true}, Column{Name: "UNDONE", Right: true}, Column{Name: "FORMAT"})
	if layout == Narrow {
		columns = append(columns, Column{Name: "CHANGE"})
	} else {
		columns = append(columns, Column{Name: "ENCODING"}, Column{Name: "COMMITTED", Right: true}, Column{Name: "GAPS", Right: true},
			Column{Name: "CLOSED-OFFSETS"}, Column{Name: "OPENED-OFFSETS"}, Column{Name: "UNDONE-OFFSETS"},
			Column{Name: "LOG-OFFSET", Right: true}, Column{Name: "ERROR"})
	}
	rows := rowsOf(v.Commits, func(c *CommitView, row []Cell) []Cell { return c.row(row, layout) })
	return []Table{{Columns: columns, Rows: rows}}
}

func (v *CommitView) row(row []Cell, layout Layout) []Cell {
	row = append(row, v.Time.cell())
	if layout == Flat {
		row = append(row, text(v.Topic), number(Count(v.Partition)))
	} else {
		row = append(row, toned(place{v.Topic, v.Partition}.String(), ToneStrong))
	}
	undone := number(v.UndoneCount)
	if v.UndoneCount > 0 {
		undone.Tone = ToneWarn
	}
	row = append(row, number(v.Stable), number(v.Max), number(v.Outstanding),
		number(v.ClosedCount), number(v.OpenedCount), undone, text(string(v.Format)))
	if layout == Narrow {
		return append(row, v.change())
	}
	failed := ""
	if v.Error != nil {
		failed = v.Error.Message
	}
	return append(row, text(string(v.Encoding)), number(v.Committed), number(v.GapCount),
		text(v.Closed.String()), text(v.Opened.String()), text(v.Undone.String()), number(Count(v.LogOffset)), text(failed))
}

// change puts in few words what the commit changed.
func (v *CommitView) change() Cell {
	switch {
	case v.Error != nil:
		return toned(v.Error.Class, ToneBad)
	case v.Deleted:
		return toned("deleted", ToneWarn)
	case !v.Compared:
		return toned("the first that is held", ToneFaint)
	}
	var b []byte
	for _, part := range []struct {
		word   string
		ranges codec.Ranges
	}{{"closed ", v.Closed}, {"opened ", v.Opened}, {"undone ", v.Undone}} {
		if part.ranges.Empty() {
			continue
		}
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = appendShort(append(b, part.word...), part.ranges)
	}
	return text(string(b))
}
