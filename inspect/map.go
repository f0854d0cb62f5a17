package inspect

import (
	"iter"
	"strings"

	"github.com/gapctl/gapctl/codec"
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

// Strip is one partition as a row of cells, from left to right without holes.
type Strip struct {
	Topic       string `json:"topic"`
	Partition   int32  `json:"partition"`
	Stable      Count  `json:"stable"`
	Max         Count  `json:"max"`
	LogStart    Count  `json:"log_start"`
	LogEnd      Count  `json:"log_end"`
	GapCount    Count  `json:"gap_count"`
	Outstanding Count  `json:"outstanding"` // in gaps, as recorded: lost and phantom too
	Lag         Count  `json:"lag"`
	TrueLag     Count  `json:"true_lag"`
	OldestGapAt Time   `json:"oldest_gap_at"`
	// PerColumn is how many offsets one column stands for in the part that is
	// drawn to scale, rounded up; 1 also where an offset takes many columns.
	PerColumn int64 `json:"per_column"`
	// Counts are summed over the cells.
	Counts MapCounts  `json:"counts"`
	Cells  []MapCell  `json:"cells"` // empty where Error is why
	Error  *ErrorView `json:"error"`

	of *Partition
}

// MapCell is some neighbouring offsets.
type MapCell struct {
	codec.Range
	Kind    MapKind `json:"kind"`
	Columns int     `json:"columns"` // how wide it is drawn
	// Elided cells are not to scale: many offsets in little room.
	Elided bool      `json:"elided"`
	Counts MapCounts `json:"counts"`
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
	Columns int // of the strip; at least 8 are taken
	Scale   MapScale
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

func newStrip(p *Partition) Strip {
	s := Strip{
		Topic: p.Topic, Partition: p.Partition, Stable: -1, Max: -1, GapCount: -1, Outstanding: -1,
		LogStart: Count(p.LogStart), LogEnd: Count(p.LogEnd), Lag: Count(p.Lag()), TrueLag: Count(p.TrueLag()),
		OldestGapAt: Time{p.OldestGapAt}, PerColumn: 1, Cells: []MapCell{}, Error: newErrorView(p.Err), of: p,
	}
	if p.HasState() {
		s.Stable, s.Max = Count(p.State.Stable), Count(p.State.Max)
		s.GapCount, s.Outstanding = Count(p.State.Gaps.Len()), Count(p.State.Outstanding())
	}
	return s
}

func (s *Strip) cut(o MapOptions, perColumn int64) {
	s.Cells, s.Counts = s.Cells[:0], MapCounts{}
	if !s.of.HasState() {
		return
	}
	for _, part := range mapParts(s.of, o, perColumn) {
		s.Cells = part.appendCells(s.Cells)
		if !part.elided {
			s.PerColumn = part.perColumn()
		}
	}
	countCells(s.of, s.Cells)
	for i := range s.Cells {
		c := &s.Cells[i]
		c.Kind = c.Counts.kind()
		for k, n := range c.Counts {
			s.Counts[k] += n
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

func (c *MapCell) row(row []Cell) []Cell {
	elided := "no"
	if c.Elided {
		elided = "yes"
	}
	row = append(row, number(Count(c.Start)), number(Count(c.End-1)), text(c.Kind.String()), text(elided))
	for _, k := range mapLegend() {
		row = append(row, number(Count(c.Counts[k])))
	}
	return row
}
