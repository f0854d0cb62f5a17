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

// scaleText says how many offsets a column stands for.
func scaleText(least, most int64) string {
	switch {
	case most <= 1:
		return "no column stands for more than one offset"
	case least == most:
		return fmt.Sprintf("a column stands for up to %d offsets", most)
	}
	return fmt.Sprintf("each strip has its own scale: a column stands for %d to %d offsets", least, most)
}

// svgHead is the styles and patterns. Kinds differ by height and pattern, so
// that colours are never needed; media queries, and not variables, because not
// every viewer of SVG knows those.
const svgHead = `<style>
.gapctl-map text{font:12px ui-monospace,"SFMono-Regular","DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.gapctl-map .end{text-anchor:end}
.gapctl-map .group{font-size:16px;font-weight:700}
.gapctl-map .strong{font-weight:700}
.gapctl-map .faint,.gapctl-map .note{fill:#59636e}
.gapctl-map .note{font-size:10px}
.gapctl-map .ground{fill:#fff}
.gapctl-map .strip{fill:#f0f2f4}
.gapctl-map .mark{fill:#59636e}
.gapctl-map .break{stroke:#59636e;fill:#fff}
.gapctl-map .done{fill:#009e73}
.gapctl-map .unread{fill:#8c959f}
.gapctl-map .outstanding{fill:#d55e00}
.gapctl-map .rejected{fill:url(#rejected)}
.gapctl-map .lost{fill:url(#lost)}
.gapctl-map .phantom{fill:url(#phantom)}
.gapctl-map .beyond{fill:url(#beyond)}
.gapctl-map .lost-ink{fill:#9b3f86}
.gapctl-map .phantom-ink{fill:#0072b2}
.gapctl-map .rejected-ink{fill:#946200}
.gapctl-map .beyond-ink{fill:#c00000}
.gapctl-map text.ink-lost{fill:#9b3f86}
.gapctl-map text.ink-phantom{fill:#0072b2}
.gapctl-map text.ink-rejected{fill:#946200}
.gapctl-map text.ink-beyond,.gapctl-map text.level-error{fill:#c00000}
.gapctl-map text.ink-unread{fill:#59636e}
.gapctl-map text.level-warn{fill:#946200}
@media screen and (prefers-color-scheme:dark){
.gapctl-map text{fill:#e6edf3}
.gapctl-map .faint,.gapctl-map .note{fill:#9198a1}
.gapctl-map .ground{fill:#0d1117}
.gapctl-map .strip{fill:#1c232c}
.gapctl-map .mark{fill:#9198a1}
.gapctl-map .break{stroke:#9198a1;fill:#0d1117}
.gapctl-map .outstanding{fill:#f5792a}
.gapctl-map .lost-ink{fill:#e08cc4}
.gapctl-map .phantom-ink{fill:#56b4e9}
.gapctl-map .rejected-ink{fill:#e69f00}
.gapctl-map .beyond-ink{fill:#ff6b6b}
.gapctl-map text.ink-lost{fill:#e08cc4}
.gapctl-map text.ink-phantom{fill:#56b4e9}
.gapctl-map text.ink-rejected,.gapctl-map text.level-warn{fill:#e69f00}
.gapctl-map text.ink-beyond,.gapctl-map text.level-error{fill:#ff6b6b}
.gapctl-map text.ink-unread{fill:#9198a1}
}
</style>
<defs>
<pattern id="lost" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="lost-ink" width="3" height="5"/></pattern>
<pattern id="beyond" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="beyond-ink" width="3" height="5"/></pattern>
<pattern id="phantom" width="4" height="4" patternUnits="userSpaceOnUse"><circle class="phantom-ink" cx="2" cy="2" r="1.4"/></pattern>
<pattern id="rejected" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="rejected-ink" width="4" height="2.6"/></pattern>
</defs>
`
