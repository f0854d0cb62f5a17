package inspect

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Tone is what a cell wants to say by its colour; no meaning rests on it.
type Tone uint8

// The tones.
const (
	TonePlain  Tone = iota
	ToneStrong      // what the row is about
	ToneFaint       // there to be read second
	ToneGood
	ToneWarn
	ToneBad
)

// style is the tone in the basic sixteen colours, which every terminal has and
// every theme keeps readable.
func (t Tone) style() lipgloss.Style {
	style := lipgloss.NewStyle()
	switch t {
	case ToneStrong:
		return style.Bold(true)
	case ToneFaint:
		return style.Faint(true)
	case ToneGood:
		return style.Foreground(lipgloss.Green)
	case ToneWarn:
		return style.Foreground(lipgloss.Yellow)
	case ToneBad:
		return style.Foreground(lipgloss.Red)
	}
	return style
}

// sgr is what each tone's style puts before a text, sgrEnd what it puts after:
// found once, since a style takes a microsecond per text, and a large table has
// a hundred thousand of them.
var sgr, sgrEnd = toneSequences()

func toneSequences() (before [ToneBad + 1]string, after string) {
	for t := range before {
		before[t], after, _ = strings.Cut(Tone(t).style().Render("x"), "x")
	}
	return before, after
}

// paint is appendTo in the cell's colour, unless it shows nothing.
func (s *shown) paint(b []byte, color bool) []byte {
	if !color || sgr[s.tone] == "" || s.empty() {
		return s.appendTo(b)
	}
	b = s.appendTo(append(b, sgr[s.tone]...))
	return append(b, sgrEnd...)
}
