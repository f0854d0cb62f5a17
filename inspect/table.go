package inspect

import "iter"

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
	// and once to write. A row has a cell for each column, and is only valid until
	// the next.
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
