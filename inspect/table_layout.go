package inspect

import (
	"io"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
)

// layout lays out the header and the rows of a table, if it has some.
type layout func(t *tableWriter, table *Table) error

// smallRows is the most rows of one result, each table counting for some more,
// that tablewriter lays out. It takes 15 to 30 µs for a row and 0.5 ms for a
// table, which nobody notices here; but for 30,000 rows up to a second, where
// [layLines] takes a twentieth of that and gives the same bytes.
const (
	smallRows    = 100
	rowsPerTable = 15
)

func writeTables(w io.Writer, tables []Table, color bool) error {
	small := areSmall(tables)
	if !small && len(tables) > 1 {
		return writeLarge(w, tables, color)
	}
	t := &tableWriter{w: w, color: color}
	lay := layout(layLines)
	if small {
		lay = layTable
	}
	for i := range tables {
		if err := t.table(&tables[i], i == 0, lay); err != nil {
			return err
		}
	}
	t.flush()
	return t.err
}

// table writes a table, apart from the one before.
func (t *tableWriter) table(table *Table, first bool, lay layout) error {
	if !first {
		t.b = append(t.b, '\n')
	}
	t.lines(table.Heading)
	if table.Rows != nil {
		if err := lay(t, table); err != nil {
			return err
		}
	}
	t.lines(table.Notes)
	return t.err
}

// areSmall reports whether the tables are within smallRows. Where there are many
// of them, no row needs to be made to tell.
func areSmall(tables []Table) bool {
	rows := len(tables) * rowsPerTable
	for i := 0; i < len(tables) && rows <= smallRows; i++ {
		if tables[i].Rows == nil {
			continue
		}
		for range tables[i].Rows {
			if rows++; rows > smallRows {
				break
			}
		}
	}
	return rows <= smallRows
}

// headerOf is the row of names, nil when no column has one.
func headerOf(columns []Column) []Cell {
	header := make([]Cell, len(columns))
	named := false
	for i, c := range columns {
		header[i] = toned(c.Name, ToneFaint)
		named = named || c.Name != ""
	}
	if !named {
		return nil
	}
	return header
}

// layTable lays out a table by tablewriter: no lines, no wrapping, every text
// as it is.
func layTable(t *tableWriter, table *Table) error {
	if !table.hasRows() {
		return nil
	}
	aligns := make([]tw.Align, len(table.Columns))
	for i, c := range table.Columns {
		aligns[i] = tw.AlignLeft
		if c.Right {
			aligns[i] = tw.AlignRight
		}
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.PaddingNone},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
	}
	lib := tablewriter.NewTable(t.w, tablewriter.WithRenderer(lineRenderer{t}))
	lib.Configure(func(c *tablewriter.Config) {
		c.Header, c.Row = cells, cells
		c.Behavior.TrimSpace, c.Behavior.TrimTab, c.Behavior.TrimLine = tw.Off, tw.Off, tw.Off
	})
	if header := headerOf(table.Columns); header != nil {
		lib.Header(t.texts(header))
	}
	for row := range table.Rows {
		if err := lib.Append(t.texts(row)); err != nil {
			return err
		}
	}
	return lib.Render()
}

func (t *Table) hasRows() bool {
	for range t.Rows {
		return true
	}
	return false
}

func (t *tableWriter) texts(row []Cell) []string {
	texts := make([]string, len(row))
	for i := range row {
		s := row[i].shown()
		texts[i] = string(s.paint(nil, t.color))
	}
	return texts
}

// lineRenderer writes the rows that tablewriter has laid out, without any
// lines between them.
type lineRenderer struct{ t *tableWriter }

func (r lineRenderer) Row(row []string, f tw.Formatting) {
	for i, s := range row {
		cell := shown{text: s, width: int32(twwidth.Width(s))} // painted already
		r.t.place(&cell, int32(f.Row.Widths.Get(i)), f.Row.Current[i].Align == tw.AlignRight)
	}
	r.t.end()
}

func (r lineRenderer) Header(rows [][]string, f tw.Formatting) {
	for _, row := range rows {
		r.Row(row, f)
	}
}

func (r lineRenderer) Config() tw.Rendition {
	return tw.Rendition{Borders: tw.BorderNone, Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone}}
}

func (lineRenderer) Start(io.Writer) error            { return nil }
func (lineRenderer) Footer([][]string, tw.Formatting) {}
func (lineRenderer) Line(tw.Formatting)               {}
func (lineRenderer) Close() error                     { return nil }
func (lineRenderer) Logger(*ll.Logger)                {}
