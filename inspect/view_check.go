package inspect

import (
	"errors"

	"github.com/gapctl/gapctl/codec"
)

// CheckView is everything that is wrong with some groups, or worth knowing.
type CheckView struct {
	ClusterHead
	Findings []CheckedFinding `json:"findings"`
	// Unread are the groups and partitions of which something could not be
	// read, so that there may be more to find. Bytes that can not be decoded
	// are a finding.
	Unread []UnreadView `json:"unread"`
	// Notices say what else could not be read.
	Notices  []string `json:"notices"`
	Snapshot Snapshot `json:"-"`
}

// CheckedFinding is a finding and where it is.
type CheckedFinding struct {
	Group     string `json:"group"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	FindingView
}

// UnreadView is a group, or one of its partitions, and why it could not be read.
type UnreadView struct {
	Group     string     `json:"group"`
	Topic     Name       `json:"topic"`     // null: the group as a whole
	Partition Count      `json:"partition"` // null: likewise
	Error     *ErrorView `json:"error"`
}

// NewCheckView is the findings of s, sorted by group, topic, partition and kind.
func NewCheckView(s Snapshot) CheckView {
	v := CheckView{ClusterHead: clusterHead("check", s), Findings: []CheckedFinding{}, Unread: []UnreadView{}, Notices: append([]string{}, s.Notices...), Snapshot: s}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Err != nil {
			v.Unread = append(v.Unread, UnreadView{g.Name, "", -1, newErrorView(g.Err)})
		}
		for k := range g.Partitions {
			p := &g.Partitions[k]
			if p.unread() {
				v.Unread = append(v.Unread, UnreadView{g.Name, Name(p.Topic), Count(p.Partition), newErrorView(p.Err)})
			}
			for _, f := range p.Findings {
				v.Findings = append(v.Findings, CheckedFinding{g.Name, p.Topic, p.Partition, newFindingView(&f)})
			}
		}
	}
	return v
}

func newFindingView(f *Finding) FindingView {
	return FindingView{f.Kind, f.Level, f.Ranges, f.Message, Name(f.Remedy)}
}

// unread reports whether the cluster did not tell all about p.
func (p *Partition) unread() bool { return isUnread(p.Err) }

// isUnread reports whether err is that the cluster did not tell all. Bytes that
// make no sense have findings instead.
func isUnread(err error) bool {
	var undecoded *codec.Error
	return err != nil && !errors.As(err, &undecoded)
}

// Count is the number of findings of that level.
func (v CheckView) Count(level Level) int {
	n := 0
	for i := range v.Findings {
		if v.Findings[i].Level == level {
			n++
		}
	}
	return n
}

// Tables is what was found, group by group: with the command that resolves it
// below, or as rows.
func (v CheckView) Tables(layout Layout) []Table {
	if layout != Narrow {
		return []Table{v.flatTable()}
	}
	var tables []Table
	for i := range v.Findings {
		f := &v.Findings[i]
		if i == 0 || f.Group != v.Findings[i-1].Group {
			tables = append(tables, Table{Heading: []Cell{toned(f.Group, ToneStrong)}})
		}
		t := &tables[len(tables)-1]
		t.Notes = f.notes(t.Notes, place{f.Topic, f.Partition})
	}
	return tables
}

func (v CheckView) flatTable() Table {
	return Table{
		Columns: []Column{
			{Name: "GROUP"}, {Name: "TOPIC"}, {Name: "PARTITION", Right: true}, {Name: "LEVEL"}, {Name: "KIND"},
			{Name: "OFFSETS"}, {Name: "MESSAGE"}, {Name: "REMEDY"},
		},
		Rows: rowsOf(v.Findings, (*CheckedFinding).flatRow),
	}
}

func (f *CheckedFinding) flatRow(row []Cell) []Cell {
	return append(row,
		toned(f.Group, ToneStrong), text(f.Topic), number(Count(f.Partition)), toned(string(f.Level), f.Level.tone()), text(f.Kind),
		text(f.Ranges.String()), text(f.Message), text(string(f.Remedy)))
}
