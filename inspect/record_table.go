package inspect

// recordTable writes a table that may be endless: column widths come from the
// rows so far, and only grow.
type recordTable struct {
	out     *tableWriter
	style   RecordStyle
	columns []Column
	widths  []int
	rows    [][]Cell
}

// tableRows is how many rows are measured together.
const tableRows = 500

func (t *recordTable) Write(r *Record) error {
	t.rows = append(t.rows, t.style.row(r))
	if len(t.rows) < tableRows {
		return nil
	}
	return t.flush()
}

func (t *recordTable) flush() error {
	if len(t.rows) == 0 {
		return t.out.err
	}
	first := t.widths == nil
	if first {
		t.widths = headerWidths(t.columns)
	}
	for _, row := range t.rows {
		t.out.widen(t.widths, row)
	}
	if first {
		t.out.row(headerOf(t.columns), t.columns, t.widths)
	}
	for _, row := range t.rows {
		t.out.row(row, t.columns, t.widths)
	}
	t.rows = t.rows[:0]
	t.out.flush()
	return t.out.err
}

func (t *recordTable) Close() error { return t.flush() }
