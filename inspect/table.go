package inspect

import (
	"iter"
	"strconv"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Layout says how much a table shows.
type Layout int

// The layouts.
const (
	Narrow Layout = iota // what matters, one table per thing
	Wide                 // everything, one table per thing
	Flat                 // everything, as one table with one header, for CSV
)

// Table is rows under a header.
type Table struct {
	// Heading stands above, Notes below; both are lines.
	Heading, Notes []Cell
	// Columns are the header. A table of a single row of unnamed columns has
	// no header line.
	Columns []Column
	// Rows yields the rows, as often as asked: of a large table once to measure
	// and once to write. A row is only valid until the next.
	Rows iter.Seq[[]Cell]
}

// rowsOf yields the row of each item: what row appends.
func rowsOf[T any](items []T, row func(item *T, row []Cell) []Cell) iter.Seq[[]Cell] {
	return func(yield func([]Cell) bool) {
		var cells []Cell
		for i := range items {
			if cells = row(&items[i], cells[:0]); !yield(cells) {
				return
			}
		}
	}
}

// Column is one column of a table.
type Column struct {
	Name  string
	Right bool // numbers are aligned to the right
}

// Cell is one text or number of a table. A text may hold anything: [Write]
// cleans it.
type Cell struct {
	Text string
	Tone Tone
	// number, where numeric, is shown in place of Text: a large table is
	// mostly numbers, and this spares it a string for each.
	number  Count
	numeric bool
}

func text(s string) Cell { return Cell{Text: s} }

func toned(s string, tone Tone) Cell { return Cell{Text: s, Tone: tone} }

func number(c Count) Cell { return Cell{number: c, numeric: true} }

// appendTo appends what the cell shows, cleaned, and tells how many columns that
// takes on a terminal, as tablewriter counts them.
func (c Cell) appendTo(b []byte) (_ []byte, width int) {
	switch {
	case c.numeric && c.number < 0:
		return append(b, '-'), 1
	case c.numeric:
		start := len(b)
		b = strconv.AppendInt(b, int64(c.number), 10)
		return b, len(b) - start
	case isPlain(c.Text):
		return append(b, c.Text...), len(c.Text)
	}
	clean := Clean(c.Text)
	return append(b, clean...), twwidth.Width(clean)
}

func (c Cell) width() int {
	_, width := c.appendTo(nil)
	return width
}
