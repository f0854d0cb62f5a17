package repair

import (
	"strconv"
	"time"

	"github.com/gapctl/gapctl/inspect"
)

// JournalView is the repairs that can be undone, the newest first.
type JournalView struct {
	inspect.Head
	Repairs []RepairView `json:"repairs"`
}

// RepairView is one repair of the journal.
type RepairView struct {
	ID         string            `json:"id"`
	At         inspect.Time      `json:"at"`
	By         string            `json:"by"`
	ClusterID  string            `json:"cluster_id"`
	Group      string            `json:"group"`
	Op         string            `json:"op"`
	Ended      bool              `json:"ended"` // false: the process ended in the middle
	Partitions []RecordedOutcome `json:"partitions"`
}

// NewJournalView is those of entries that can be undone.
func NewJournalView(entries []Entry) JournalView {
	v := JournalView{Head: inspect.Head{Kind: "journal", SchemaVersion: inspect.SchemaVersion}, Repairs: []RepairView{}}
	for _, e := range entries {
		if !e.Undoable() {
			continue
		}
		r := RepairView{ID: e.ID, At: inspect.Time{Time: e.At.Truncate(time.Millisecond)}, By: e.By, ClusterID: e.Plan.ClusterID,
			Group: e.Plan.Group, Op: e.Plan.Op.Name(), Ended: e.Ended, Partitions: []RecordedOutcome{}}
		r.Partitions = append(r.Partitions, e.Outcomes...)
		v.Repairs = append(v.Repairs, r)
	}
	return v
}

// Tables is one row per repair.
func (v JournalView) Tables(inspect.Layout) []inspect.Table {
	columns := []inspect.Column{{Name: "ID"}, {Name: "GROUP"}, {Name: "OPERATION"}, {Name: "PARTITIONS", Right: true}, {Name: "STATE"}, {Name: "BY"}}
	return []inspect.Table{{Columns: columns, Rows: func(yield func([]inspect.Cell) bool) {
		for _, r := range v.Repairs {
			state := inspect.Cell{Text: "ended"}
			if !r.Ended {
				state = inspect.Cell{Text: "not ended", Tone: inspect.ToneWarn}
			}
			row := []inspect.Cell{{Text: r.ID, Tone: inspect.ToneStrong}, {Text: r.Group}, {Text: r.Op},
				{Text: strconv.Itoa(r.applied())}, state, {Text: r.By}}
			if !yield(row) {
				return
			}
		}
	}}}
}

// applied is the number of partitions that the repair is known to have changed.
func (r RepairView) applied() int {
	n := 0
	for _, p := range r.Partitions {
		if p.Status == Applied || p.Status == Unverified {
			n++
		}
	}
	return n
}
