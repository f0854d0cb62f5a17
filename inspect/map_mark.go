package inspect

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A mark points at where an offset is, counted in columns from the left end.
type mark struct {
	column int
	text   string
}

// marks are the offsets worth pointing at, the most important first. Those that
// are equal are one.
func (s *Strip) marks() []mark {
	named := []struct {
		name string
		at   Count
	}{{"stable", s.Stable}, {"end", s.LogEnd}, {"max", s.Max}, {"start", s.LogStart}}
	var marks []mark
	for i, n := range named {
		names, seen := []string{n.name}, n.at < 0
		for k, other := range named {
			if other.at == n.at && k < i {
				seen = true
			}
			if other.at == n.at && k > i {
				names = append(names, other.name)
			}
		}
		if !seen {
			marks = append(marks, mark{s.column(n.at), strings.Join(names, " = ") + " " + n.at.String()})
		}
	}
	return marks
}

// column is where offset begins; 0 is the left end, and the first cell is at 1.
func (s *Strip) column(offset Count) int {
	if len(s.Cells) > 0 && s.Cells[0].Start == int64(offset) {
		return 0
	}
	column := 1
	for i := range s.Cells {
		if s.Cells[i].End > int64(offset) {
			return column
		}
		column += s.Cells[i].Columns
	}
	return column
}

// A placedMark has a place for its text on a line: it begins at start, left of
// the column that is meant or right of it.
type placedMark struct {
	mark
	line, start int
	left        bool
}

// markLines is how many lines of marks a strip may have.
const markLines = 2

// placeMarks finds places in lines of that width, for the most important marks
// first, and returns them by line and from left to right. The last mark, which
// matters least, takes no line of its own.
func placeMarks(marks []mark, width int) []placedMark {
	var placed []placedMark
	for i, m := range marks {
		length := utf8.RuneCountInString("▲ " + m.text)
		right, left := placedMark{m, 0, m.column, false}, placedMark{m, 0, m.column + 1 - length, true}
		for line := range markLines {
			right.line, left.line = line, line
			if right.start+length <= width && isFree(placed, right, length) {
				placed = append(placed, right)
				break
			}
			if left.start >= 0 && isFree(placed, left, length) {
				placed = append(placed, left)
				break
			}
			if i > 0 && i == len(marks)-1 {
				break
			}
		}
	}
	slices.SortFunc(placed, func(a, b placedMark) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.start, b.start))
	})
	return placed
}

// isFree reports whether m has its place to itself, with a blank on each side.
func isFree(placed []placedMark, m placedMark, length int) bool {
	return !slices.ContainsFunc(placed, func(other placedMark) bool {
		end := other.start + utf8.RuneCountInString("▲ "+other.text)
		return other.line == m.line && m.start <= end && other.start <= m.start+length
	})
}
