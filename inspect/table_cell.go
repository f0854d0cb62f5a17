package inspect

import (
	"strconv"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Cell is one text or number of a table. A text may hold anything: [Write]
// cleans it.
type Cell struct {
	Text string
	// number, where numeric, is shown in place of Text: a large table is
	// mostly numbers, and this spares it a string for each.
	number  Count
	numeric bool
	Tone    Tone
}

func text(s string) Cell { return Cell{Text: s} }

func toned(s string, tone Tone) Cell { return Cell{Text: s, Tone: tone} }

func number(c Count) Cell { return Cell{number: c, numeric: true} }

// shown is what a cell shows: a number that is known, or a text that is clean.
type shown struct {
	text    string
	number  Count
	numeric bool
	tone    Tone
	width   int32 // in columns of a terminal, as tablewriter counts them
}

// set makes s what c shows. It fills s in place: rows are many, and copying what
// was written a moment ago, piece by piece, takes longer than all the rest.
func (s *shown) set(c *Cell) {
	s.tone, s.numeric = c.Tone, false
	switch {
	case c.numeric && c.number < 0:
		s.text, s.width = "-", 1
	case c.numeric:
		s.text, s.number, s.numeric, s.width = "", c.number, true, digits(c.number)
	case isPlain(c.Text):
		s.text, s.width = c.Text, int32(len(c.Text))
	default:
		s.text = Clean(c.Text)
		s.width = int32(twwidth.Width(s.text))
	}
}

func (c *Cell) shown() (s shown) {
	s.set(c)
	return s
}

// digits is how many digits n has, which is not below 0.
func digits(n Count) int32 {
	width := int32(1)
	for least := Count(10); n >= least && width < maxDigits; least *= 10 {
		width++
	}
	return width
}

// maxDigits is how many digits the largest number has.
const maxDigits = 19

// empty reports whether nothing is shown.
func (s *shown) empty() bool { return s.text == "" && !s.numeric }

func (s *shown) appendTo(b []byte) []byte {
	if s.numeric {
		return strconv.AppendInt(b, int64(s.number), 10)
	}
	return append(b, s.text...)
}

// String is what the cell shows.
func (c Cell) String() string {
	s := c.shown()
	return string(s.appendTo(nil))
}

func (c Cell) width() int { return int(c.shown().width) }
