package inspect

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
)

// Tables is one row per partition that differs.
func (v DiffView) Tables(layout Layout) []Table {
	if layout == Flat {
		return []Table{v.flatTable()}
	}
	columns := []Column{
		{Name: "GROUP"}, {Name: "TOPIC/PARTITION"}, {Name: "STABLE", Right: true}, {Name: "MAX", Right: true},
		{Name: "OUTSTANDING", Right: true}, {Name: "CLOSED"}, {Name: "OPENED"}, {Name: "STILL"}, {Name: "UNDONE"},
	}
	var notes []Cell
	for _, group := range v.Unread {
		notes = append(notes, toned("group "+group+" could not be read, and is left out", ToneWarn))
	}
	if layout == Narrow && slices.ContainsFunc(v.Partitions, PartitionDiff.shortened) {
		notes = append(notes, toned("(+2) stands for 2 more ranges; -o wide shows all, for --done and --outstanding of gapctl reset", ToneFaint))
	}
	rows := rowsOf(v.Partitions, func(d *PartitionDiff, row []Cell) []Cell { return d.row(row, layout) })
	return []Table{{Columns: columns, Heading: v.heading(), Notes: notes, Rows: rows}}
}

func (v DiffView) heading() []Cell {
	line := Plural(len(v.Partitions), "partition") + " changed"
	if !v.Differs() {
		line = "nothing changed"
	}
	line += fmt.Sprintf(", %d as before", v.Same)
	if at, to := v.Before.TakenAt, v.After.TakenAt; !at.IsZero() && !to.IsZero() {
		line += fmt.Sprintf(", from %s to %s", at, to)
	}
	return []Cell{text(line)}
}

func (d *PartitionDiff) row(row []Cell, layout Layout) []Cell {
	row = append(row,
		toned(d.Group, ToneStrong), toned(place{d.Topic, d.Partition}.String(), ToneStrong),
		d.moved(func(s *PartitionSide) Count { return s.Stable }), d.moved(func(s *PartitionSide) Count { return s.Max }),
		d.moved(func(s *PartitionSide) Count { return s.Outstanding }))
	if d.Change != ChangeMoved {
		return append(row, toned(d.told(), ToneWarn), text(""), text(""), text(""))
	}
	return append(row, rangesCell(d.Closed, d.ClosedCount, layout, ToneGood), rangesCell(d.Opened, d.OpenedCount, layout, ToneWarn),
		rangesCell(d.Still, d.StillCount, layout, TonePlain), rangesCell(d.Undone, d.UndoneCount, layout, ToneBad))
}

// shortened reports whether a narrow row leaves offsets out.
func (d PartitionDiff) shortened() bool {
	return slices.ContainsFunc([]codec.Ranges{d.Closed, d.Opened, d.Still, d.Undone}, func(rs codec.Ranges) bool {
		return bytes.HasSuffix(appendShort(nil, rs), []byte(")"))
	})
}

// told says what is not a move.
func (d *PartitionDiff) told() string {
	switch d.Change {
	case ChangeAppeared:
		return "appeared"
	case ChangeGone:
		return "gone"
	}
	why := func(s *PartitionSide) string {
		if s.Error == "" {
			return "readable"
		}
		return string(s.Error)
	}
	return why(d.Before) + " → " + why(d.After)
}

// moved is a number before and after, or once where it is the same.
func (d *PartitionDiff) moved(of func(*PartitionSide) Count) Cell {
	before, after := Count(-1), Count(-1)
	if d.Before != nil {
		before = of(d.Before)
	}
	if d.After != nil {
		after = of(d.After)
	}
	if before == after {
		return number(before)
	}
	return text(before.String() + " → " + after.String())
}

// rangesCell is how many offsets there are, and which.
func rangesCell(rs codec.Ranges, count int64, layout Layout, tone Tone) Cell {
	if count == 0 {
		return number(-1)
	}
	shown := rs.String()
	if layout == Narrow {
		shown = string(appendShort(nil, rs))
	}
	return toned(fmt.Sprintf("%d: %s", count, shown), tone)
}

func (v DiffView) flatTable() Table {
	names := []string{
		"GROUP", "TOPIC", "PARTITION", "CHANGE", "STABLE-BEFORE", "STABLE-AFTER", "MAX-BEFORE", "MAX-AFTER",
		"OUTSTANDING-BEFORE", "OUTSTANDING-AFTER", "CLOSED-COUNT", "OPENED-COUNT", "STILL-COUNT", "UNDONE-COUNT",
		"COMMITTED-COUNT", "CLOSED", "OPENED", "STILL", "UNDONE",
	}
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return Table{Columns: columns, Rows: rowsOf(v.Partitions, (*PartitionDiff).flatRow)}
}

func (d *PartitionDiff) flatRow(row []Cell) []Cell {
	none := PartitionSide{Stable: -1, Max: -1, Outstanding: -1}
	before, after := none, none
	if d.Before != nil {
		before = *d.Before
	}
	if d.After != nil {
		after = *d.After
	}
	return append(row,
		text(d.Group), text(d.Topic), number(Count(d.Partition)), text(string(d.Change)),
		number(before.Stable), number(after.Stable), number(before.Max), number(after.Max),
		number(before.Outstanding), number(after.Outstanding),
		number(Count(d.ClosedCount)), number(Count(d.OpenedCount)), number(Count(d.StillCount)), number(Count(d.UndoneCount)),
		number(Count(d.CommittedCount)), text(d.Closed.String()), text(d.Opened.String()), text(d.Still.String()), text(d.Undone.String()))
}
