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

	kept     []keptCell // the first rows of the table at hand, cell by cell
	keptText []byte     // and their texts
}

// keptCell is a cell whose text ends there, and is that wide.
type keptCell struct {
	end, width int
	last       bool // of its row
}

// row writes one line of a table whose columns are that wide.
func (t *tableWriter) row(row []Cell, columns []Column, widths []int) {
	for i, c := range row {
		var width int
		t.text, width = c.paint(t.text[:0], t.color)
		t.place(t.text, widths[i]-width, columns[i].Right)
	}
	t.end()
}

// place writes text as the next cell of the line, with that many blanks on the
// side that it is not aligned to.
func (t *tableWriter) place(text []byte, blanks int, right bool) {
	if right {
		t.owed += blanks
		blanks = 0
	}
	if len(text) > 0 {
		for range t.owed {
			t.b = append(t.b, ' ')
		}
		t.b = append(t.b, text...)
		t.owed = 0
	}
	t.owed += blanks + columnGap
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
	for _, line := range lines {
		t.b, _ = line.paint(t.b, t.color)
		t.end()
	}
}

// headerWidths is the width of each column by its name alone.
func headerWidths(columns []Column) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = max(1, len(c.Name))
	}
	return widths
}

// widen makes room for the row.
func (t *tableWriter) widen(widths []int, row []Cell) {
	for i, c := range row {
		var width int
		t.text, width = c.appendTo(t.text[:0])
		widths[i] = max(widths[i], width)
	}
}

// keptRows is how many rows of a table are kept while they are measured, so that
// they need not be made again to be written. Those that follow are made twice,
// so that a table of any size takes bounded memory.
const keptRows = 1000

// layLines lays out a table of any size.
func layLines(t *tableWriter, table *Table) error {
	widths := headerWidths(table.Columns)
	t.kept, t.keptText = t.kept[:0], t.keptText[:0]
	rows := 0
	for row := range table.Rows {
		if rows++; rows <= keptRows {
			t.keep(row, widths)
		} else {
			t.widen(widths, row)
		}
	}
	if header := headerOf(table.Columns); header != nil {
		t.row(header, table.Columns, widths)
	}
	t.rowsKept(table.Columns, widths)
	if rows <= keptRows {
		return nil
	}
	rows = 0
	for row := range table.Rows {
		if rows++; rows > keptRows {
			t.row(row, table.Columns, widths)
		}
	}
	return nil
}

// keep keeps the row, and makes room for it.
func (t *tableWriter) keep(row []Cell, widths []int) {
	for i, c := range row {
		var width int
		t.keptText, width = c.paint(t.keptText, t.color)
		widths[i] = max(widths[i], width)
		t.kept = append(t.kept, keptCell{len(t.keptText), width, i == len(row)-1})
	}
}

// rowsKept writes the rows that are kept.
func (t *tableWriter) rowsKept(columns []Column, widths []int) {
	start, i := 0, 0
	for _, c := range t.kept {
		t.place(t.keptText[start:c.end], widths[i]-c.width, columns[i].Right)
		start = c.end
		if i++; c.last {
			t.end()
			i = 0
		}
	}
}
