package inspect

import (
	"strings"
	"unicode/utf8"
)

// glyph is one column of the cell.
func (c *MapCell) glyph(ascii bool) string {
	look := c.Kind.look()
	switch {
	case c.Kind == MapOutstanding:
		return densityGlyph(c.Counts[MapOutstanding], c.Len(), ascii)
	case ascii:
		return look.ascii
	}
	return look.glyph
}

// densityGlyph is the higher the larger n, which is above 0, is among all; only
// the highest means all.
func densityGlyph(n, all int64, ascii bool) string {
	levels := []rune(mapDensity)
	if ascii {
		levels = []rune(mapDensityASCII)
	}
	full := int64(len(levels) - 1)
	return string(levels[scaled(n, full, all)])
}

// cells draws a strip between its two ends.
func (t *mapText) cells(s *Strip) {
	t.b.WriteString(t.paint(t.either("├", "|"), sgr[ToneFaint]))
	run, kind := "", MapDone
	for i := range s.Cells {
		c := &s.Cells[i]
		if c.Kind != kind {
			t.b.WriteString(t.paint(run, kind.sgr()))
			run, kind = "", c.Kind
		}
		glyph := c.glyph(t.style.ASCII)
		if c.Elided {
			left := c.Columns / 2
			run += strings.Repeat(glyph, left) + t.either("╱", "/") + strings.Repeat(glyph, c.Columns-left-1)
			continue
		}
		run += strings.Repeat(glyph, c.Columns)
	}
	t.b.WriteString(t.paint(run, kind.sgr()) + t.paint(t.either("┤", "|"), sgr[ToneFaint]))
}

func (t *mapText) either(unicode, ascii string) string {
	if t.style.ASCII {
		return ascii
	}
	return unicode
}

// marksUnder is the lines under a strip that say which offset is where.
func (t *mapText) marksUnder(s *Strip) {
	var lines [markLines]string
	arrow := t.either("▲", "^")
	for _, m := range placeMarks(s.marks(), t.strip+2) {
		line := &lines[m.line]
		*line += strings.Repeat(" ", m.start-utf8.RuneCountInString(*line))
		if m.left {
			*line += m.text + " " + arrow
		} else {
			*line += arrow + " " + m.text
		}
	}
	for _, line := range lines {
		if line != "" {
			t.b.WriteString(strings.Repeat(" ", t.place+columnGap) + t.paint(line, sgr[ToneFaint]) + "\n")
		}
	}
}

// legend explains the glyphs that are there, and the scale.
func (t *mapText) legend(g *MappedGroup) {
	used, elided, least, most := g.used()
	column := 0
	entry := func(glyph, code, words string) {
		length := utf8.RuneCountInString(glyph + words)
		if column > 0 && column+length+4 > t.width {
			t.b.WriteByte('\n')
			column = 0
		}
		gap := separator(column, "  ", "   ")
		t.b.WriteString(gap + t.paint(glyph, code) + " " + words)
		column += len(gap) + length + 1
	}
	for _, k := range mapLegend() {
		look := k.look()
		switch {
		case used[k] == 0:
		case k == MapOutstanding && most > 1:
			entry(t.either("▂▅█", mapDensityASCII), k.sgr(), look.meaning+t.either(" (height: share of the column)", " (some, half, all of the column)"))
		default:
			entry(t.either(look.glyph, look.ascii), k.sgr(), look.meaning)
		}
	}
	if elided {
		entry(t.either("╱", "/"), "", "not to scale")
	}
	t.b.WriteByte('\n')
	if most > 0 {
		t.line(toned("  "+scaleText(least, most), ToneFaint))
	}
}
