package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// anyTable draws tables with all that a cell may hold: wide, combining and
// control characters, blanks at the ends, nothing at all, numbers.
func anyTable() *rapid.Generator[Table] {
	texts := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", " ", "a", " b", "c ", "日本", "é", "👩‍🚀 x", "🇩🇪", "…", "─", "ａ", "\x1b[31mred", "a\nb", "\t", "\u202e", "\xff", "-", "key: 1"}),
		rapid.String())
	cells := rapid.Custom(func(t *rapid.T) Cell {
		c := toned(texts.Draw(t, "text"), Tone(rapid.IntRange(0, int(ToneBad)).Draw(t, "tone")))
		if rapid.Bool().Draw(t, "numeric") {
			c.number, c.numeric = Count(rapid.Int64().Draw(t, "number")), true
		}
		return c
	})
	return rapid.Custom(func(t *rapid.T) Table {
		named := rapid.Bool().Draw(t, "named")
		columns := make([]Column, rapid.IntRange(1, 6).Draw(t, "columns"))
		for i := range columns {
			columns[i].Right = rapid.Bool().Draw(t, "right")
			if named {
				columns[i].Name = rapid.SampledFrom([]string{"", "N", "TOPIC/PARTITION", "camelCase", "LOG-END"}).Draw(t, "name")
			}
		}
		rows := rapid.SliceOfN(rapid.SliceOfN(cells, len(columns), len(columns)), 1, 6).Draw(t, "rows")
		return Table{Columns: columns, Rows: slices.Values(rows)}
	})
}

func laid(t *rapid.T, lay layout, table *Table, color bool) string {
	var b bytes.Buffer
	w := &tableWriter{w: &b, color: color}
	if err := lay(w, table); err != nil {
		t.Fatal(err)
	}
	w.flush()
	return b.String()
}

// TestLayoutsAgree: nobody can tell which way a table was laid out.
func TestLayoutsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := anyTable().Draw(t, "table")
		color := rapid.Bool().Draw(t, "color")
		small, large := laid(t, layTable, &table, color), laid(t, layLines, &table, color)
		if small != large {
			t.Errorf("tablewriter has\n%q\nlines have\n%q", small, large)
		}
		lines := strings.Count(small, "\n")
		if want := len(slices.Collect(table.Rows)); lines != want && lines != want+1 {
			t.Errorf("%d lines for %d rows", lines, want)
		}
	})
}

// TestLayoutBlanks: columns are two blanks apart, numbers to the right, and no
// line ends in padding.
func TestLayoutBlanks(t *testing.T) {
	table := Table{
		Columns: []Column{{Name: "NAME"}, {Name: "N", Right: true}, {Name: "NOTE"}},
		Rows: slices.Values([][]Cell{
			{text("日本"), number(12345), text("")},
			{text(""), number(-1), text("so long a note")},
		}),
	}
	want := "NAME      N  NOTE\n日本  12345\n          -  so long a note\n"
	for name, lay := range map[string]layout{"tablewriter": layTable, "lines": layLines} {
		var b bytes.Buffer
		w := &tableWriter{w: &b}
		if err := lay(w, &table); err != nil {
			t.Fatal(err)
		}
		if w.flush(); b.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, b.String(), want)
		}
	}
}

// TestManyTables: laid out at the same time, tables are what they are one after
// the other.
func TestManyTables(t *testing.T) {
	v := NewDescribeView(bigSnapshot(3*leastParts+1, smallRows/20, 5))
	for output, layout := range map[Output]Layout{OutputTable: Narrow, OutputWide: Wide} {
		var want, got bytes.Buffer
		w := &tableWriter{w: &want, color: true}
		for i, table := range v.Tables(layout) {
			if err := w.table(&table, i == 0, layLines); err != nil {
				t.Fatal(err)
			}
		}
		w.flush()
		if err := Write(&got, output, v, Style{Color: true}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: %d bytes differ from the %d that they ought to be", output, got.Len(), want.Len())
		}
	}
}

// fullWriter takes that many writes, and refuses the next.
type fullWriter struct{ takes, refused int }

var errFull = errors.New("full")

func (w *fullWriter) Write(b []byte) (int, error) {
	if w.takes--; w.takes >= 0 {
		return len(b), nil
	}
	w.refused++
	return 0, errFull
}

// TestManyTablesRefused: a write that fails is the last, and leaves nobody
// behind who lays out the rest.
func TestManyTablesRefused(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	v := NewDescribeView(bigSnapshot(5*leastParts, smallRows/20, 5))
	for takes := range 5 * leastParts / tablesOfPart {
		w := &fullWriter{takes: takes}
		if err := Write(w, OutputTable, v, Style{}); !errors.Is(err, errFull) || w.refused != 1 {
			t.Fatalf("after %d writes: %v, %d refused", takes, err, w.refused)
		}
	}
	w := &fullWriter{takes: 5 * leastParts / tablesOfPart}
	if err := Write(w, OutputTable, v, Style{}); err != nil || w.takes != 0 {
		t.Errorf("%v with %d writes left", err, w.takes)
	}
}

func BenchmarkLayout(b *testing.B) {
	for _, shape := range []struct{ tables, rows int }{{1, 3}, {1, 100}, {1, 500}, {20, 1}, {1, 30000}} {
		var tables []Table
		for range shape.tables {
			tables = append(tables, NewDescribeView(bigSnapshot(1, shape.rows, 10)).Tables(Narrow)...)
		}
		for name, lay := range map[string]layout{"tablewriter": layTable, "lines": layLines} {
			b.Run(fmt.Sprintf("%dx%d/%s", shape.tables, shape.rows, name), func(b *testing.B) {
				for b.Loop() {
					t := &tableWriter{w: io.Discard}
					for i := range tables {
						if err := lay(t, &tables[i]); err != nil {
							b.Fatal(err)
						}
					}
					t.flush()
				}
			})
		}
	}
}
