package inspect

import "strings"

// ListView is the answer to "which groups hold gap commits, and how are they?"
type ListView struct {
	ClusterHead
	Groups []GroupView `json:"groups"`
}

// NewListView lists groups, and every group in s beside them.
func NewListView(s Snapshot, groups ...GroupView) ListView {
	v := ListView{ClusterHead: clusterHead("list", s), Groups: append([]GroupView{}, groups...)}
	for i := range s.Groups {
		v.Groups = append(v.Groups, NewGroupView(&s.Groups[i]))
	}
	return v
}

// Tables is one row per group.
func (v ListView) Tables(layout Layout) []Table {
	columns := []Column{
		{Name: "GROUP"}, {Name: "STATE"}, {Name: "PARTITIONS", Right: true}, {Name: "GAPS", Right: true},
		{Name: "OUTSTANDING", Right: true}, {Name: "TRUE-LAG", Right: true}, {Name: "LAG", Right: true},
		{Name: "OLDEST", Right: true}, {Name: "FINDING"}, {Name: "FORMATS"},
	}
	if layout != Narrow {
		columns = append(columns, Column{Name: "TYPE"}, Column{Name: "MEMBERS", Right: true}, Column{Name: "OLDEST-AT"})
	}
	rows := rowsOf(v.Groups, func(g *GroupView, row []Cell) []Cell { return g.row(row, layout, v.TakenAt) })
	return []Table{{Columns: columns, Rows: rows}}
}

func (g *GroupView) row(row []Cell, layout Layout, now Time) []Cell {
	row = append(row,
		toned(g.Group, ToneStrong), text(string(g.State)), number(Count(g.Partitions)), number(g.GapCount),
		number(g.Outstanding), number(g.TrueLag), number(g.Lag),
		g.OldestGapAt.ageCell(now), g.finding(), text(strings.Join(g.Formats, ",")))
	if layout == Narrow {
		return row
	}
	return append(row, text(string(g.Type)), number(Count(g.Members)), g.OldestGapAt.cell())
}

func (v ListView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	v.writeHead(j)
	j.open("groups", '[')
	for i := range v.Groups {
		j.open("", '{')
		v.Groups[i].writeSums(j, true)
		j.close('}')
	}
	j.close(']')
	j.close('}')
}
