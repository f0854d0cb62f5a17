package inspect

import "io"

// columnGap separates columns.
const columnGap = 2

// tableWriter writes the lines of tables. How wide a column is, others say.
type tableWriter struct {
	w     io.Writer // nil: lines are kept in b
	b     []byte
	color bool
	err   error

	text []byte // of the cell at hand
	owed int    // blanks not written yet: no line ends in padding
}

// row writes one line of a table whose columns are that wide.
func (t *tableWriter) row(row []Cell, columns []Column, widths []int) {
	for i, c := range row {
		t.text = t.text[:0]
		if !c.empty() {
			t.text = c.paint(t.text, t.color)
		}
		t.place(widths[i]-c.width(), columns[i].Right)
	}
	t.end()
}

// place writes t.text as the next cell of the line, with that many blanks on
// the side that it is not aligned to.
func (t *tableWriter) place(blanks int, right bool) {
	if right {
		t.owed += blanks
		blanks = 0
	}
	if len(t.text) > 0 {
		for range t.owed {
			t.b = append(t.b, ' ')
		}
		t.b = append(t.b, t.text...)
		t.owed = 0
	}
	t.owed += blanks + columnGap
}

func (t *tableWriter) end() {
	t.owed = 0
	t.b = append(t.b, '\n')
	if len(t.b) > 64<<10 && t.w != nil {
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
	for _, line := range lines {
		t.b = line.paint(t.b, t.color)
		t.end()
	}
}

// measure is the width of each column, and the number of rows.
func measure(table *Table) (widths []int, rows int) {
	widths = make([]int, len(table.Columns))
	for i, c := range table.Columns {
		widths[i] = max(1, len(c.Name))
	}
	if table.Rows == nil {
		return widths, 0
	}
	for row := range table.Rows {
		rows++
		for i := range row {
			widths[i] = max(widths[i], row[i].width())
		}
	}
	return widths, rows
}

// layLines lays out a table of any size.
func layLines(t *tableWriter, table *Table) error {
	widths, _ := measure(table)
	if header := table.header(); header != nil {
		t.row(header, table.Columns, widths)
	}
	for row := range table.Rows {
		t.row(row, table.Columns, widths)
	}
	return nil
}
