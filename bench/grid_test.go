package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// grid is a part of the board: what is measured in each row, under the
// conditions of each column.
type grid struct {
	title   string // what the cells are
	columns []string
	rows    []gridRow
}

type gridRow struct {
	what, against string
	cells         []string
}

// grids are printed below the board, in this order.
var grids []grid

func (g grid) String() string {
	var lines [][]string
	compared := slices.ContainsFunc(g.rows, func(r gridRow) bool { return r.against != "" })
	line := func(what, against string, cells []string) {
		l := []string{what}
		if compared {
			l = append(l, against)
		}
		lines = append(lines, append(l, cells...))
	}
	line("", "compared with", g.columns)
	for _, r := range g.rows {
		line(r.what, r.against, r.cells)
	}
	words := 1 // columns of them
	if compared {
		words++
	}
	return "\n" + g.title + "\n\n" + tableOf(lines, words)
}

// tableOf is a table whose first line is its head; the first left columns are
// words, and the others figures.
func tableOf(lines [][]string, left int) string {
	widths := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, cell := range l {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("-", w)
	}
	var b strings.Builder
	for _, l := range slices.Insert(lines, 1, rule) {
		for i, cell := range l {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < left {
				b.WriteString("| " + cell + blanks + " ")
			} else {
				b.WriteString("| " + blanks + cell + " ")
			}
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// cell is a figure, and how many times theirs it is; theirs is 0 where there is
// nothing to compare with.
func cell(ours string, value, theirs float64) string {
	if theirs == 0 {
		return ours
	}
	return fmt.Sprintf("%s %6s", ours, timesOf(value/theirs))
}

func timeCell(ours, theirs time.Duration) string {
	return cell(shortTime(ours), float64(ours), float64(theirs))
}

func bytesCell(ours int, theirs float64) string {
	return cell(shortBytes(float64(ours)), float64(ours), theirs)
}

// shortTime has three digits.
func shortTime(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.of {
			return threeDigits(float64(d)/float64(unit.of)) + " " + unit.name
		}
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}

func shortBytes(n float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}} {
		if n >= unit.of {
			return threeDigits(n/unit.of) + " " + unit.name
		}
	}
	return fmt.Sprintf("%.0f B", n)
}

func threeDigits(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
