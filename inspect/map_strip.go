package inspect

import (
	"fmt"
	"strings"

	"github.com/gapctl/gapctl/codec"
)

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

// undecoded reports whether there is an error in the place of the cells.
func (s *Strip) undecoded() bool { return s.Error != nil && s.Stable < 0 }

func (s *Strip) place() string { return place{s.Topic, s.Partition}.String() }

func (s *Strip) age(now Time) string {
	if s.OldestGapAt.IsZero() {
		return "-"
	}
	return string(s.OldestGapAt.appendAge(nil, now))
}

// columns is how wide the cells are.
func (s *Strip) columns() int {
	n := 0
	for i := range s.Cells {
		n += s.Cells[i].Columns
	}
	return n
}

// alsoKinds are the kinds that are worth a number beside the outstanding.
func (s *Strip) alsoKinds() []MapKind {
	var kinds []MapKind
	for _, k := range []MapKind{MapLost, MapPhantom, MapRejected, MapBeyond, MapUnread} {
		if s.Counts[k] > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func (s *Strip) alsoText(k MapKind) string { return fmt.Sprintf("%d %s", s.Counts[k], k.look().short) }

func (s *Strip) also() string {
	var parts []string
	for _, k := range s.alsoKinds() {
		parts = append(parts, s.alsoText(k))
	}
	return strings.Join(parts, ", ")
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
