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
func (v *PartitionView) place() string { return v.Topic + "/" + strconv.Itoa(int(v.Partition)) }

func (v *PartitionView) row(row []Cell, layout Layout, now Time) []Cell {
	if layout == Flat {
		row = append(row, text(v.Topic), number(Count(v.Partition)))
	} else {
		row = append(row, toned(v.place(), ToneStrong))
	}
	gaps := v.gapsText(layout)
	row = append(row,
		number(v.Stable), number(v.Max), number(v.LogEnd), gaps,
		number(v.Outstanding), number(v.TrueLag), number(v.Lag),
		v.OldestGapAt.ageCell(now), text(string(v.Format)), text(v.room()))
	if layout == Narrow {
		return row
	}
	return append(row,
		text(string(v.Encoding)), number(v.Committed), number(v.LogStart),
		number(v.LastStable), number(v.GapCount), v.OldestGapAt.cell(),
		text(v.Rejected.String()), text(v.deliveryText()), text(v.errorText()))
}

// gapsText is the gaps with both ends included; where room is short, the
// first of them and how many follow.
func (v *PartitionView) gapsText(layout Layout) Cell {
	if v.Error != nil && v.Stable < 0 {
		return toned(v.Error.Class, ToneBad)
	}
	if layout != Narrow {
		return text(v.Gaps.String())
	}
	return text(shorten(v.Gaps))
}

// gapsWidth is how much of the gaps a narrow table shows.
const gapsWidth = 22

func shorten(rs codec.Ranges) string {
	var b strings.Builder
	shown := 0
	for r := range rs.All() {
		next := r.String()
		if shown > 0 && b.Len()+1+len(next) > gapsWidth {
			return b.String() + " (+" + strconv.Itoa(rs.Len()-shown) + ")"
		}
		if shown > 0 {
			b.WriteByte(',')
		}
		b.WriteString(next)
		shown++
	}
	return b.String()
}

// room is how much of its limit the format uses: "3801/4096".
func (v *PartitionView) room() string {
	switch {
	case v.Size <= 0:
		return ""
	case v.SizeLimit < 0:
		return v.Size.String()
	}
	return v.Size.String() + "/" + v.SizeLimit.String()
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
