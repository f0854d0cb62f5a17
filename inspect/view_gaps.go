package inspect

import (
	"iter"

	"github.com/gapctl/gapctl/codec"
)

// GapsView is one row per gap. It is made from the snapshot as it is written,
// since there may be millions of gaps.
type GapsView struct {
	ClusterHead
	Snapshot Snapshot `json:"-"`
}

// Gap is one gap of one partition.
type Gap struct {
	Group     string `json:"group"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	codec.Range
	Count int64 `json:"count"`
}

// NewGapsView is the gaps of every partition in s that could be read.
func NewGapsView(s Snapshot) GapsView {
	return GapsView{ClusterHead: clusterHead("gaps", s), Snapshot: s}
}

// NewLostView is the parts of the gaps that retention has removed, which is all
// that is left to tell of them.
func NewLostView(s Snapshot) GapsView {
	lost := s
	lost.Groups = make([]Group, len(s.Groups))
	for i, g := range s.Groups {
		g.Partitions = make([]Partition, len(g.Partitions))
		for k := range g.Partitions {
			p := s.Groups[i].Partitions[k]
			entry := *p.Entry
			entry.State.Gaps = p.Lost()
			p.Entry = &entry
			g.Partitions[k] = p
		}
		lost.Groups[i] = g
	}
	return GapsView{ClusterHead: clusterHead("lost", s), Snapshot: lost}
}

// Gaps yields the gaps by group, topic, partition and offset.
func (v GapsView) Gaps() iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		for _, g := range v.Snapshot.Groups {
			for i := range g.Partitions {
				p := &g.Partitions[i]
				if !p.HasState() {
					continue
				}
				for r := range p.State.Gaps.All() {
					if !yield(Gap{g.Name, p.Topic, p.Partition, r, r.Len()}) {
						return
					}
				}
			}
		}
	}
}

// Tables is one row per gap, with both ends included.
func (v GapsView) Tables(Layout) []Table {
	columns := []Column{
		{Name: "GROUP"}, {Name: "TOPIC"}, {Name: "PARTITION", Right: true},
		{Name: "FIRST", Right: true}, {Name: "LAST", Right: true}, {Name: "COUNT", Right: true},
	}
	return []Table{{Columns: columns, Rows: func(yield func([]Cell) bool) {
		row := make([]Cell, len(columns))
		for g := range v.Gaps() {
			row[0], row[1], row[2] = text(g.Group), text(g.Topic), number(Count(g.Partition))
			row[3], row[4] = number(Count(g.Start)), number(Count(g.End-1))
			row[5] = number(Count(g.Count))
			if !yield(row) {
				return
			}
		}
	}}}
}

func (v GapsView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	v.writeHead(j)
	j.open("gaps", '[')
	for g := range v.Gaps() {
		j.open("", '{')
		j.str("group", g.Group)
		j.str("topic", g.Topic)
		j.count("partition", Count(g.Partition))
		j.count("start", Count(g.Start))
		j.count("end", Count(g.End))
		j.count("count", Count(g.Count))
		j.close('}')
	}
	j.close(']')
	j.close('}')
}
