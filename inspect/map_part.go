package inspect

import (
	"math/bits"

	"github.com/gapctl/gapctl/codec"
)

const (
	minStripColumns = 8
	// A part that is not to scale takes this share of the strip, but room for
	// its mark.
	elidedShare      = 24
	elidedColumnsMin = 3
)

// mapPart is a stretch of the log, drawn to one scale or not to scale.
type mapPart struct {
	codec.Range
	columns int
	elided  bool
}

// mapFrame is a partition's offsets in three: head is done, body is where the
// action is, and tail is not read yet.
type mapFrame struct{ head, body, tail codec.Range }

// newMapFrame cuts at stable and at max. What is unknown of the log is left
// out; what is committed beyond its end is in.
func newMapFrame(p *Partition) mapFrame {
	stable, top := p.State.Stable, max(p.State.Stable, p.State.Max)
	start, end := stable, top
	if p.knowsLog() {
		start, end = min(stable, p.LogStart), max(top, p.LogEnd)
		stable = min(stable, p.LogEnd)
	}
	f := mapFrame{codec.Range{Start: start, End: stable}, codec.Range{Start: stable, End: top}, codec.Range{Start: top, End: end}}
	if f.body.Empty() {
		f.body, f.tail = f.tail, codec.Range{Start: end, End: end}
	}
	if f.body.Empty() {
		f.body, f.head = f.head, codec.Range{Start: start, End: start}
	}
	return f
}

// zoom moves head and tail into the body where they leave it enough room, or
// anyhow when full, and reports which of them stay out.
func (f *mapFrame) zoom(o MapOptions) (head, tail bool) {
	full := o.Full || f.head.Len()+f.body.Len()+f.tail.Len() <= int64(o.Columns)
	head, tail = !full && f.head.Len() > f.body.Len()/4, !full && f.tail.Len() > f.body.Len()
	if !head {
		f.body.Start = f.head.Start
	}
	if !tail {
		f.body.End = f.tail.End
	}
	return head, tail
}

// mapParts divides the strip's columns. perColumn above 0 is how many offsets a
// column stands for, whatever the width.
func mapParts(p *Partition, o MapOptions, perColumn int64) []mapPart {
	f := newMapFrame(p)
	head, tail := f.zoom(o)
	room, elided := o.Columns, max(elidedColumnsMin, o.Columns/elidedShare)
	for _, out := range []bool{head, tail} {
		if out {
			room -= elided
		}
	}
	if perColumn > 0 {
		room = min(room, int((f.body.Len()+perColumn-1)/perColumn))
	}
	var parts []mapPart
	if head {
		parts = append(parts, mapPart{f.head, elided, true})
	}
	if !f.body.Empty() {
		parts = append(parts, mapPart{f.body, max(1, room), false})
	}
	if tail {
		parts = append(parts, mapPart{f.tail, elided, true})
	}
	return parts
}

// sharedScale is how many offsets a column must stand for so that the longest
// strip fits.
func (v MapView) sharedScale(o MapOptions) int64 {
	scale := int64(1)
	for s := range v.strips() {
		if !s.of.HasState() {
			continue
		}
		for _, part := range mapParts(s.of, o, 0) {
			if !part.elided {
				scale = max(scale, part.perColumn())
			}
		}
	}
	return scale
}

// perColumn is the offsets that one column stands for, rounded up.
func (m mapPart) perColumn() int64 {
	columns := int64(m.columns)
	return m.Len()/columns + min(1, m.Len()%columns)
}

// appendCells cuts the part into cells: one per column, or one per offset where
// there are more columns than offsets.
func (m mapPart) appendCells(cells []MapCell) []MapCell {
	if m.elided {
		return append(cells, MapCell{Range: m.Range, Columns: m.columns, Elided: true})
	}
	count := min(m.Len(), int64(m.columns))
	for i := range count {
		first, next := scaled(int64(m.columns), i, count), scaled(int64(m.columns), i+1, count)
		cells = append(cells, MapCell{
			Range:   codec.Range{Start: m.Start + scaled(m.Len(), i, count), End: m.Start + scaled(m.Len(), i+1, count)},
			Columns: int(next - first),
		})
	}
	return cells
}

// scaled is n·i/of, rounded down, for 0 <= i <= of.
func scaled(n, i, of int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int64(q)
}
