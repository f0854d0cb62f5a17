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

// place is the partition as people write it: "orders/3".
func (v *PartitionView) place() string { return string(v.appendPlace(nil)) }

func (v *PartitionView) appendPlace(b []byte) []byte {
	return strconv.AppendInt(append(append(b, v.Topic...), '/'), int64(v.Partition), 10)
}

// partitionText is the texts of a row that have to be made.
type partitionText struct{ place, gaps, age, room string }

// textRoom is the bytes that the texts of a narrow row take, or a little less.
const textRoom = 64

// partitionTexts makes the texts of all rows once, in one piece of memory: rows
// are asked for twice, and 30,000 rows of small strings are slow to allocate.
func partitionTexts(partitions []PartitionView, layout Layout, now Time) []partitionText {
	b := make([]byte, 0, textRoom*len(partitions))
	ends := make([]int, 0, 4*len(partitions))
	for i := range partitions {
		v := &partitions[i]
		b = v.appendPlace(b)
		ends = append(ends, len(b))
		b = v.appendGaps(b, layout)
		ends = append(ends, len(b))
		b = v.OldestGapAt.appendAge(b, now)
		ends = append(ends, len(b))
		b = v.appendRoom(b)
		ends = append(ends, len(b))
	}
	all, start := string(b), 0
	next := func(i int) string {
		s := all[start:ends[i]]
		start = ends[i]
		return s
	}
	texts := make([]partitionText, len(partitions))
	for i := range texts {
		texts[i] = partitionText{next(4 * i), next(4*i + 1), next(4*i + 2), next(4*i + 3)}
	}
	return texts
}

func (v *PartitionView) row(row []Cell, layout Layout, t partitionText) []Cell {
	if layout == Flat {
		row = append(row, text(v.Topic), number(Count(v.Partition)))
	} else {
		row = append(row, toned(t.place, ToneStrong))
	}
	gaps, age := text(t.gaps), text(t.age)
	if v.undecoded() {
		gaps.Tone = ToneBad
	}
	if t.age == "" {
		age = number(-1)
	}
	row = append(row,
		number(v.Stable), number(v.Max), number(v.LogEnd), gaps,
		number(v.Outstanding), number(v.TrueLag), number(v.Lag), age, text(string(v.Format)), text(t.room))
	if layout == Narrow {
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
	start, shown := len(b), 0
	for r := range rs.All() {
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
		shown++
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
	told := v.Error == nil
	for _, f := range v.Findings {
		told = told || f.Kind == "foreign" || f.Kind == "undecodable"
		notes = append(notes, toned("  "+string(f.Level)+" "+f.Kind+" "+v.place()+": "+f.Message, f.Level.tone()))
		if f.Remedy != "" {
			notes = append(notes, toned("    "+string(f.Remedy), ToneStrong))
		}
	}
	if !told {
		notes = append(notes, toned("  error "+v.Error.Class+" "+v.place()+": "+v.Error.Message, ToneBad))
	}
	return notes
}
