package inspect

// recordTable writes a table that may be endless: column widths come from the
// rows so far, and only grow.
type recordTable struct {
	out     *tableWriter
	style   RecordStyle
	columns []Column
	widths  []int32
	rows    int // that are kept
}

// tableRows is how many rows are measured together.
const tableRows = 500

func (t *recordTable) Write(r *Record) error {
	if t.widths == nil {
		t.widths = t.out.begin(t.columns)
	}
	t.out.keep(t.style.row(r), t.widths)
	if t.rows++; t.rows < tableRows {
		return nil
	}
	return t.flush()
}

func (t *recordTable) flush() error {
	t.out.writeKept(t.columns, t.widths)
	t.rows = 0
	t.out.flush()
	return t.out.err
}

func (t *recordTable) Close() error { return t.flush() }
