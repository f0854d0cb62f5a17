package inspect

import (
	"io"
	"slices"
	"strings"
)

// columnGap separates columns.
const columnGap = 2

// tableWriter writes the lines of tables. How wide a column is, others say.
type tableWriter struct {
	w     io.Writer // nil: lines are kept in b
	b     []byte
	color bool
	err   error

	owed int     // blanks not written yet: no line ends in padding
	kept []shown // rows to be written, all of a table's columns wide
}

// place writes the next cell of the line, in a column that is that wide.
func (t *tableWriter) place(s *shown, width int32, right bool) {
	blanks := int(width - s.width)
	if right {
		t.owed += blanks
		blanks = 0
	}
	if !s.empty() {
		t.b = s.paint(appendBlanks(t.b, t.owed), t.color)
		t.owed = 0
	}
	t.owed += blanks + columnGap
}

var manyBlanks = strings.Repeat(" ", 64)

func appendBlanks(b []byte, n int) []byte {
	for ; n > len(manyBlanks); n -= len(manyBlanks) {
		b = append(b, manyBlanks...)
	}
	return append(b, manyBlanks[:n]...)
}

func (t *tableWriter) end() {
	t.owed = 0
	t.b = append(t.b, '\n')
	if len(t.b) > flushAt && t.w != nil {
		t.flush()
	}
}

func (t *tableWriter) flush() {
	if t.err == nil && len(t.b) > 0 {
		_, t.err = t.w.Write(t.b)
	}
	t.b = t.b[:0]
}

func (t *tableWriter) lines(lines []Cell) {
	for i := range lines {
		line := lines[i].shown()
		t.b = line.paint(t.b, t.color)
		t.end()
	}
}

// keep keeps a row to be written, and makes room for it.
func (t *tableWriter) keep(row []Cell, widths []int32) {
	n := len(t.kept)
	t.kept = slices.Grow(t.kept, len(row))[:n+len(row)]
	for i := range row {
		s := &t.kept[n+i]
		s.set(&row[i])
		widths[i] = max(widths[i], s.width)
	}
}

// writeKept writes the rows that are kept, in columns that are that wide.
func (t *tableWriter) writeKept(columns []Column, widths []int32) {
	for row := t.kept; len(row) > 0; row = row[len(columns):] {
		for i := range columns {
			t.place(&row[i], widths[i], columns[i].Right)
		}
		t.end()
	}
	t.kept = t.kept[:0]
}

// keptRows is how many rows of a table are kept while they are measured, so that
// they need not be made again to be written. Those that follow are made twice,
// so that a table of any size takes bounded memory.
const keptRows = 1000

// layLines lays out a table of any size.
func layLines(t *tableWriter, table *Table) error {
	widths := t.begin(table.Columns)
	rows := 0
	for row := range table.Rows {
		full := len(t.kept)
		t.keep(row, widths)
		if rows++; rows > keptRows {
			t.kept = t.kept[:full]
		}
	}
	if rows == 0 {
		return nil
	}
	t.writeKept(table.Columns, widths)
	if rows <= keptRows {
		return nil
	}
	rows = 0
	for row := range table.Rows {
		if rows++; rows > keptRows {
			t.keep(row, widths)
			t.writeKept(table.Columns, widths)
		}
	}
	return nil
}

// begin keeps the header, if there is one, and returns the widths of the columns
// by that alone.
func (t *tableWriter) begin(columns []Column) (widths []int32) {
	widths = make([]int32, len(columns))
	for i := range widths {
		widths[i] = 1
	}
	t.kept = t.kept[:0]
	t.keep(headerOf(columns), widths)
	return widths
}
