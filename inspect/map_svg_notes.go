package inspect

import (
	"fmt"
	"unicode/utf8"
)

// also writes the numbers of what else there is, each in the kind's colour.
func (d *svg) also(s *Strip, x, y float64) {
	for i, k := range s.alsoKinds() {
		words := separator(i, "", ", ") + s.alsoText(k)
		d.text(x, y, "ink-"+k.look().name, words)
		x += svgChar * float64(len(words))
	}
}

// svgMarkChar is a character of the marks, which are of size 10.
const svgMarkChar = 6.1

// svgMarkLine is the height of a line of marks.
const svgMarkLine = 13

// svgMarkChars is how many of them a strip has room for.
const svgMarkChars = 112

// marksUnder points at offsets under a strip whose lower edge is at base, and
// is the height that it took.
func (d *svg) marksUnder(s *Strip, base float64) float64 {
	marks := s.marks()
	exact := map[string]float64{}
	for i, m := range marks {
		x := float64(max(0, m.column-1) * svgColumn)
		exact[m.text] = x
		marks[i].column = int(x / svgMarkChar)
	}
	height := 0.0
	for _, m := range placeMarks(marks, svgMarkChars) {
		x, y := d.stripX+exact[m.text], base+2+float64(m.line)*svgMarkLine
		height = y + svgMarkLine - base
		fmt.Fprintf(&d.b, `<path class="mark" d="M%.1f %.1fl3.5 6h-7z"/>`+"\n", x, y)
		if m.left {
			d.text(x-7, y+8, "note end", m.text)
		} else {
			d.text(x+7, y+8, "note", m.text)
		}
	}
	return height
}

// legend explains the kinds that are there.
func (d *svg) legend(g *MappedGroup) {
	used, elided, least, most := g.used()
	x, y := float64(svgPad), d.y+svgLine
	entry := func(swatch, words string) {
		width := 22 + svgChar*float64(utf8.RuneCountInString(words)) + 18
		if x+width > d.width && x > svgPad {
			x, y = svgPad, y+svgLine
		}
		fmt.Fprintf(&d.b, swatch+"\n", x, y)
		d.text(x+22, y, "legend", words)
		x += width
	}
	for _, k := range mapLegend() {
		if used[k] == 0 {
			continue
		}
		cell := MapCell{Kind: k}
		cell.Counts[k], cell.End = 1, 1
		h := 12 * cell.height()
		words := k.look().meaning
		if k == MapOutstanding && most > 1 {
			words += " (height: share of the column)"
		}
		entry(fmt.Sprintf(`<path class="%s" d="M%%.1f %%.1fv%.1fh16v%.1fz"/>`, k.look().name, -h, h), words)
	}
	if elided {
		entry(`<path class="break" d="M%.1f %.1fm4 1l3 -13h4l-3 13z"/>`, "not to scale")
	}
	d.y = y + svgLine
	d.text(svgPad, d.y, "faint", scaleText(least, most))
	d.y += svgLine
}
