package inspect

import (
	"strconv"
	"strings"

	"github.com/gapctl/gapctl/codec"
)

func partitionColumns(layout Layout) []Column {
	columns := []Column{{Name: "TOPIC/PARTITION"}}
	if layout == Flat {
		columns = []Column{{Name: "TOPIC"}, {Name: "PARTITION", Right: true}}
	}
	columns = append(columns,
		Column{Name: "STABLE", Right: true}, Column{Name: "MAX", Right: true}, Column{Name: "END", Right: true},
		Column{Name: "GAPS"}, Column{Name: "OUTSTANDING", Right: true}, Column{Name: "TRUE-LAG", Right: true},
		Column{Name: "LAG", Right: true}, Column{Name: "OLDEST", Right: true}, Column{Name: "FORMAT"},
		Column{Name: "ROOM", Right: true})
	if layout == Narrow {
		return columns
	}
	return append(columns,
		Column{Name: "ENCODING"}, Column{Name: "COMMITTED", Right: true}, Column{Name: "LOG-START", Right: true},
		Column{Name: "LAST-STABLE", Right: true}, Column{Name: "GAP-COUNT", Right: true}, Column{Name: "OLDEST-AT"},
		Column{Name: "REJECTED"}, Column{Name: "DELIVERY"}, Column{Name: "ERROR"})
}

func (v *PartitionView) place() place { return place{v.Topic, v.Partition} }

// partitionRows makes the rows of partitions, one after the other.
type partitionRows struct {
	layout Layout
	now    Time
	text   []byte          // what has to be made of the row at hand
	made   strings.Builder // and of those before: in one piece, for allocating it is slow
}

// madeAtOnce is how many bytes of texts are allocated at once.
const madeAtOnce = 4 << 10

// finish is the text that has been made, to be kept.
func (r *partitionRows) finish() string {
	if r.made.Cap()-r.made.Len() < len(r.text) {
		r.made.Reset()
		r.made.Grow(max(madeAtOnce, len(r.text)))
	}
	start := r.made.Len()
	r.made.Write(r.text)
	return r.made.String()[start:]
}

// row appends the cells of p.
func (r *partitionRows) row(p *Partition, row []Cell) []Cell {
	var v PartitionView
	v.set(p)
	r.text = v.place().appendTo(r.text[:0])
	place := len(r.text)
	r.text = v.appendGaps(r.text, r.layout)
	gaps := len(r.text)
	r.text = v.OldestGapAt.appendAge(r.text, r.now)
	age := len(r.text)
	r.text = v.appendRoom(r.text)
	made := r.finish()
	if r.layout == Flat {
		row = append(row, text(v.Topic), number(Count(v.Partition)))
	} else {
		row = append(row, toned(made[:place], ToneStrong))
	}
	gapsCell, ageCell := text(made[place:gaps]), text(made[gaps:age])
	if v.undecoded() {
		gapsCell.Tone = ToneBad
	}
	if age == gaps {
		ageCell = number(-1)
	}
	row = append(row,
		number(v.Stable), number(v.Max), number(v.LogEnd), gapsCell,
		number(v.Outstanding), number(v.TrueLag), number(v.Lag), ageCell, text(string(v.Format)), text(made[age:]))
	if r.layout == Narrow {
		return row
	}
	return append(row,
		text(string(v.Encoding)), number(v.Committed), number(v.LogStart),
		number(v.LastStable), number(v.GapCount), v.OldestGapAt.cell(),
		text(v.Rejected.String()), text(v.deliveryText()), text(v.errorText()))
}

// undecoded reports whether an error stands in the place of the gaps.
func (v *PartitionView) undecoded() bool { return v.Error != nil && v.Stable < 0 }

// appendGaps appends the gaps with both ends included; where room is short,
// the first of them and how many follow.
func (v *PartitionView) appendGaps(b []byte, layout Layout) []byte {
	switch {
	case v.undecoded():
		return append(b, v.Error.Class...)
	case layout == Narrow:
		return appendShort(b, v.Gaps)
	}
	return append(b, v.Gaps.String()...)
}

// gapsWidth is how much of the gaps a narrow table shows.
const gapsWidth = 22

func appendShort(b []byte, rs codec.Ranges) []byte {
	var room [gapsWidth/len(",9") + 2]codec.Range // the last of them does not fit
	start := len(b)
	for shown, r := range rs.AppendFirst(room[:0], len(room)) {
		before := len(b)
		if shown > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, r.Start, 10)
		if r.Len() > 1 {
			b = strconv.AppendInt(append(b, '-'), r.End-1, 10)
		}
		if shown > 0 && len(b)-start > gapsWidth {
			b = strconv.AppendInt(append(b[:before], " (+"...), int64(rs.Len()-shown), 10)
			return append(b, ')')
		}
	}
	return b
}

// appendRoom appends how much of its limit the format uses: "3801/4096".
func (v *PartitionView) appendRoom(b []byte) []byte {
	if v.Size <= 0 {
		return b
	}
	b = strconv.AppendInt(b, int64(v.Size), 10)
	if v.SizeLimit < 0 {
		return b
	}
	return strconv.AppendInt(append(b, '/'), int64(v.SizeLimit), 10)
}

// deliveryText is the delivery states: "3-5 available x4".
func (v *PartitionView) deliveryText() string {
	parts := make([]string, len(v.Delivery))
	for i, d := range v.Delivery {
		parts[i] = d.Range.String() + " " + d.State
		if d.Count > 0 {
			parts[i] += " x" + strconv.Itoa(int(d.Count))
		}
	}
	return strings.Join(parts, ", ")
}

func (v *PartitionView) errorText() string {
	if v.Error == nil {
		return ""
	}
	return v.Error.Message
}

// notes appends what is wrong with the partition, and how to put it right.
func (v *PartitionView) notes(notes []Cell) []Cell {
	for _, f := range v.Findings {
		notes = f.notes(notes, v.place())
	}
	if v.Error != nil && isUnread(v.Error.Cause) {
		notes = append(notes, toned("  error "+v.Error.Class+" "+v.place().String()+": "+v.Error.Message, ToneBad))
	}
	return notes
}

// notes appends the finding, and below it the command that resolves it.
func (f *FindingView) notes(notes []Cell, at place) []Cell {
	notes = append(notes, toned("  "+string(f.Level)+" "+f.Kind+" "+at.String()+": "+f.Message, f.Level.tone()))
	if f.Remedy != "" {
		notes = append(notes, toned("    "+string(f.Remedy), ToneStrong))
	}
	return notes
}
