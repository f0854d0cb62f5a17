package inspect

import (
	"iter"
	"strings"
)

// MapView is a picture of groups: one strip of cells per partition. It is
// plain data; terminals, SVG and HTML are ways to draw it.
type MapView struct {
	ClusterHead
	Groups []MappedGroup `json:"groups"`
}

// MappedGroup is one group with a strip for each of its partitions.
type MappedGroup struct {
	GroupView
	Strips []Strip `json:"strips"`
}

// MapScale says how strips relate in length.
type MapScale string

// The scales.
const (
	MapScaleOwn    MapScale = "own"    // each fills the width
	MapScaleShared MapScale = "shared" // a column stands for equally many offsets in all
)

// MapOptions says what to draw.
type MapOptions struct {
	Columns int      // of the strip; at least 8 are taken
	Scale   MapScale // "" is own
	// Full draws from the start of the log to its end. Otherwise what is done
	// before stable, and what is not read after max, take little room where
	// they would leave little for the part between.
	Full bool
}

// NewMapView draws every group in s.
func NewMapView(s Snapshot, o MapOptions) MapView {
	v := MapView{ClusterHead: clusterHead("map", s), Groups: make([]MappedGroup, len(s.Groups))}
	for i := range s.Groups {
		g := &s.Groups[i]
		strips := make([]Strip, len(g.Partitions))
		for k := range g.Partitions {
			strips[k] = newStrip(&g.Partitions[k])
		}
		v.Groups[i] = MappedGroup{NewGroupView(g), strips}
	}
	v.cut(o)
	return v
}

// cut makes the cells.
func (v MapView) cut(o MapOptions) {
	o.Columns = max(o.Columns, minStripColumns)
	var perColumn int64
	if o.Scale == MapScaleShared {
		perColumn = v.sharedScale(o)
	}
	for s := range v.strips() {
		s.cut(o, perColumn)
	}
}

// strips yields the strips of all groups.
func (v MapView) strips() iter.Seq[*Strip] {
	return func(yield func(*Strip) bool) {
		for i := range v.Groups {
			for k := range v.Groups[i].Strips {
				if !yield(&v.Groups[i].Strips[k]) {
					return
				}
			}
		}
	}
}

// Tables is one row per cell, for CSV.
func (v MapView) Tables(Layout) []Table {
	columns := []Column{
		{Name: "GROUP"}, {Name: "TOPIC"}, {Name: "PARTITION"}, {Name: "FIRST"}, {Name: "LAST"}, {Name: "KIND"}, {Name: "ELIDED"},
	}
	for _, k := range mapLegend() {
		columns = append(columns, Column{Name: strings.ToUpper(k.String())})
	}
	return []Table{{Columns: columns, Rows: func(yield func([]Cell) bool) {
		row := make([]Cell, 0, len(columns))
		for i := range v.Groups {
			for k := range v.Groups[i].Strips {
				s := &v.Groups[i].Strips[k]
				for c := range s.Cells {
					row = append(row[:0], text(v.Groups[i].Group), text(s.Topic), number(Count(s.Partition)))
					if row = s.Cells[c].row(row); !yield(row) {
						return
					}
				}
			}
		}
	}}}
}
