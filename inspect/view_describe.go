package inspect

import (
	"fmt"
	"strings"
)

// DescribeView is everything about some groups, partition by partition.
type DescribeView struct {
	ClusterHead
	Selection SelectionView    `json:"selection"`
	Groups    []DescribedGroup `json:"groups"`
}

// DescribedGroup is one group with its partitions, which take the place of
// their number.
type DescribedGroup struct {
	GroupView
	Partitions PartitionViews `json:"partitions"`
}

// PartitionViews are partitions that are shown as [PartitionView], and become
// that one at a time: 30,000 of those take a while to allocate.
type PartitionViews []Partition

// NewDescribeView describes every group in s.
func NewDescribeView(s Snapshot) DescribeView {
	v := DescribeView{
		ClusterHead: clusterHead("describe", s), Selection: newSelectionView(s.Selection),
		Groups: make([]DescribedGroup, len(s.Groups)),
	}
	inParallel(len(s.Groups), func(i int) {
		v.Groups[i] = DescribedGroup{NewGroupView(&s.Groups[i]), s.Groups[i].Partitions}
	})
	return v
}

// Tables is one table per group, or a single flat one.
func (v DescribeView) Tables(layout Layout) []Table {
	if layout == Flat {
		return []Table{v.flatTable()}
	}
	columns := partitionColumns(layout)
	tables := make([]Table, len(v.Groups))
	for i := range v.Groups {
		tables[i] = v.groupTable(&v.Groups[i], layout, columns)
	}
	return tables
}

func (v DescribeView) groupTable(g *DescribedGroup, layout Layout, columns []Column) Table {
	rows := &partitionRows{layout: layout, now: v.TakenAt}
	t := Table{
		Heading: []Cell{toned(g.Group, ToneStrong), toned(g.summary(v.TakenAt), g.Level.tone())},
		Columns: columns,
		Rows:    rowsOf(g.Partitions, rows.row),
	}
	if layout != Wide && g.worst == "" {
		return t // nothing is wrong, as with most
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if layout != Wide && len(p.Findings) == 0 && p.Err == nil {
			continue
		}
		view := newPartitionView(p)
		t.Notes = view.notes(t.Notes)
		if layout == Wide {
			t.Notes = view.slotNotes(t.Notes, v.TakenAt)
		}
	}
	return t
}

func (v DescribeView) flatTable() Table {
	columns := append([]Column{{Name: "GROUP"}}, partitionColumns(Flat)...)
	return Table{Columns: columns, Rows: func(yield func([]Cell) bool) {
		rows := partitionRows{layout: Flat, now: v.TakenAt}
		var row []Cell
		for i := range v.Groups {
			g := &v.Groups[i]
			for k := range g.Partitions {
				if row = rows.row(&g.Partitions[k], append(row[:0], text(g.Group))); !yield(row) {
					return
				}
			}
		}
	}}
}

// summary says in one line what matters most: what is stuck, since when.
func (g *GroupView) summary(now Time) string {
	who := []string{}
	for _, word := range []string{string(g.Type), string(g.State)} {
		if word != "" {
			who = append(who, word)
		}
	}
	who = append(who, Plural(g.Members, "member"), Plural(g.Partitions, "partition"))
	line := "  " + strings.Join(who, ", ") + ": "
	switch {
	case g.Error != nil:
		return line + g.Error.Message
	case g.Partitions == 0 && g.partial:
		return line + "no partition fits --topic and --format"
	case g.Partitions == 0:
		return line + "nothing committed"
	case g.Outstanding < 0:
		return line + "what is outstanding is not known"
	case g.Outstanding == 0:
		return line + "nothing outstanding, lag " + g.Lag.String()
	}
	line += fmt.Sprintf("%s outstanding in %s, true lag %s, lag %s", g.Outstanding, Plural(g.GapCount, "gap"), g.TrueLag, g.Lag)
	if !g.OldestGapAt.IsZero() {
		line += fmt.Sprintf(", oldest outstanding record written %s ago (%s)", g.OldestGapAt.appendAge(nil, now), g.OldestGapAt)
	}
	return line
}

func (v DescribeView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	v.writeHead(j)
	v.Selection.writeJSON(j)
	j.open("groups", '[')
	for i := range v.Groups {
		g := &v.Groups[i]
		j.open("", '{')
		g.writeSums(j, false)
		j.open("partitions", '[')
		for k := range g.Partitions {
			view := newPartitionView(&g.Partitions[k])
			view.writeJSON(j)
		}
		j.close(']')
		j.close('}')
	}
	j.close(']')
	j.close('}')
}
