package inspect

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The measures of the SVG, in its units, which are pixels unless it is scaled.
const (
	svgPad        = 16
	svgChar       = 7.3 // a character of a monospace font of size 12
	svgColumn     = 2   // a column of a strip
	svgColumns    = 340
	svgStripWidth = svgColumns * svgColumn
	svgLine       = 18
	svgNumbers    = 170 // the columns OUTSTANDING and OLDEST
	svgPlaceLimit = 40  // characters of a partition's name that are shown
)

// WriteMapSVG draws s as one SVG document, which follows the viewer's light or
// dark scheme and needs nothing beside itself. o.Columns is not asked.
func WriteMapSVG(w io.Writer, s Snapshot, o MapOptions) error {
	_, err := w.Write(mapSVG(s, o))
	return err
}

// svg draws a map.
type svg struct {
	b      bytes.Buffer
	view   MapView
	marks  bool
	stripX float64 // where strips begin
	width  float64
	y      float64 // the next free place
}

func mapSVG(s Snapshot, o MapOptions) []byte {
	o.Columns = svgColumns
	d := &svg{view: NewMapView(s, o), y: svgPad}
	d.measure()
	for i := range d.view.Groups {
		d.group(&d.view.Groups[i])
	}
	var doc bytes.Buffer
	fmt.Fprintf(&doc, `<svg xmlns="http://www.w3.org/2000/svg" class="gapctl-map" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="gap map">`+"\n", d.width, d.y, d.width, d.y)
	doc.WriteString(svgHead)
	fmt.Fprintf(&doc, `<rect class="ground" width="%.0f" height="%.0f"/>`+"\n", d.width, d.y)
	doc.Write(d.b.Bytes())
	doc.WriteString("</svg>\n")
	return doc.Bytes()
}

// measure finds out how wide names and notes are.
func (d *svg) measure() {
	strips, place, also := 0, 0, 0
	for s := range d.view.strips() {
		strips++
		place = max(place, utf8.RuneCountInString(clip(s.place(), svgPlaceLimit)))
		also = max(also, len(s.also()))
	}
	d.marks = strips <= marksUpTo
	d.stripX = svgPad + svgChar*float64(place) + 14
	d.width = d.stripX + svgStripWidth + svgNumbers + svgPad
	if also > 0 {
		d.width += 14 + svgChar*float64(also)
	}
	for i := range d.view.Groups {
		summary := d.view.Groups[i].summary(d.view.TakenAt)
		d.width = max(d.width, 2*svgPad+svgChar*float64(utf8.RuneCountInString(Clean(summary))))
	}
}

func (d *svg) group(g *MappedGroup) {
	d.text(svgPad, d.y+14, "group", g.Group)
	d.text(svgPad, d.y+14+svgLine, "level-"+string(g.Level), strings.TrimSpace(g.summary(d.view.TakenAt)))
	d.y += 3*svgLine + 4
	if len(g.Strips) == 0 {
		return
	}
	right := d.stripX + svgStripWidth
	d.text(right+100, d.y-4, "faint end", "outstanding")
	d.text(right+svgNumbers, d.y-4, "faint end", "oldest")
	for i := range g.Strips {
		d.strip(&g.Strips[i])
	}
	d.legend(g)
	d.y += svgLine
}

func (d *svg) strip(s *Strip) {
	height := 12.0
	if d.marks {
		height = 22
	}
	base := d.y + height
	d.text(svgPad, base-(height-9)/2, "strong", clip(s.place(), svgPlaceLimit))
	if s.undecoded() {
		d.text(d.stripX, base-(height-9)/2, "level-error", clip(s.Error.Class+": "+s.Error.Message, svgStripWidth/8))
	} else {
		fmt.Fprintf(&d.b, `<g><title>%s</title><rect class="strip" x="%.1f" y="%.1f" width="%d" height="%.0f"/>`+"\n",
			escapeXML(s.title()), d.stripX, d.y, s.columns()*svgColumn, height)
		d.cells(s, height)
		d.b.WriteString("</g>\n")
		right := d.stripX + svgStripWidth
		d.text(right+100, base-(height-9)/2, "end", s.Outstanding.String())
		d.text(right+svgNumbers, base-(height-9)/2, "end", s.age(d.view.TakenAt))
		d.also(s, right+svgNumbers+14, base-(height-9)/2)
		if d.marks {
			base += d.marksUnder(s, base)
		}
	}
	d.y = base + 5
}

// title is what a viewer shows for the strip that is pointed at.
func (s *Strip) title() string {
	return fmt.Sprintf("%s: stable %s, max %s, log %s to %s, %s outstanding in %s", s.place(), s.Stable, s.Max,
		s.LogStart, s.LogEnd, s.Outstanding, Plural(s.GapCount, "gap"))
}

// cells draws the strip: one path for each kind, so that 300 strips of many
// cells stay small.
func (d *svg) cells(s *Strip, height float64) {
	var paths [mapKinds]bytes.Buffer
	breaks := []float64{}
	x := 0
	for i := 0; i < len(s.Cells); {
		c := &s.Cells[i]
		part, from := c.height(), x
		for ; i < len(s.Cells) && s.Cells[i].Kind == c.Kind && s.Cells[i].height() == part; i++ {
			if s.Cells[i].Elided {
				breaks = append(breaks, float64(x)+float64(s.Cells[i].Columns)/2)
			}
			x += s.Cells[i].Columns
		}
		h := height * part
		fmt.Fprintf(&paths[c.Kind], "M%.1f %.1fv%.1fh%dv%.1fz", d.stripX+float64(from*svgColumn), d.y+height, -h, (x-from)*svgColumn, h)
	}
	for k := range paths {
		if paths[k].Len() > 0 {
			fmt.Fprintf(&d.b, `<path class="%s" d="%s"/>`+"\n", MapKind(k).look().name, paths[k].Bytes())
		}
	}
	for _, at := range breaks {
		fmt.Fprintf(&d.b, `<path class="break" d="M%.1f %.1fl5 %.1fh4l-5 %.1fz"/>`+"\n", d.stripX+at*svgColumn-4, d.y+height+2, -height-4, height+4)
	}
}

// height is how much of the strip's height the cell takes.
func (c *MapCell) height() float64 {
	switch c.Kind {
	case MapDone:
		return 0.3
	case MapUnread:
		return 0.1
	case MapRejected:
		return 0.6
	case MapOutstanding:
		const steps = 10 // few, so that neighbours join
		return 0.45 + 0.55*float64(scaled(c.Counts[MapOutstanding], steps, c.Len()))/steps
	}
	return 1
}

func clip(s string, limit int) string {
	if runes := []rune(Clean(s)); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(Clean(s))) // a strings.Builder does not fail
	return b.String()
}

func (d *svg) text(x, y float64, class, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, escapeXML(s))
}
