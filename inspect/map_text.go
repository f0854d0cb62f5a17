package inspect

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// MapStyle says how a map looks on a terminal.
type MapStyle struct {
	Color bool
	ASCII bool // no character beyond ASCII
}

// marksUpTo is how many strips have a line of marks each: more would not fit on
// a screen, and get the offsets in columns instead.
const marksUpTo = 12

// enoughColumns is how wide a strip must be for there to be notes beside it.
const enoughColumns = 24

// WriteMap draws s as text. o.Columns is the width of the whole.
func WriteMap(w io.Writer, s Snapshot, o MapOptions, style MapStyle) error {
	t := mapText{style: style, width: o.Columns}
	v := NewMapView(s, o)
	t.measure(v) // what stands beside the strips does not depend on their width
	t.fit(v, o)
	for i := range v.Groups {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.group(&v.Groups[i])
	}
	_, err := w.Write(t.b.Bytes())
	return err
}

// mapText draws a map as text.
type mapText struct {
	style MapStyle
	width int
	b     bytes.Buffer
	now   Time
	marks bool // each strip has a line of marks
	// The widths of what stands beside the strips, and of the longest strip.
	place, stable, end, outstanding, age, also, strip int
}

const (
	headStable      = "STABLE"
	headEnd         = "END"
	headOutstanding = "OUTSTANDING"
	headAge         = "OLDEST"
)

func (t *mapText) measure(v MapView) {
	t.now = v.TakenAt
	t.stable, t.end, t.outstanding, t.age = len(headStable), len(headEnd), len(headOutstanding), len(headAge)
	strips := 0
	for s := range v.strips() {
		strips++
		t.place = max(t.place, text(s.place()).width())
		t.stable = max(t.stable, number(s.Stable).width())
		t.end = max(t.end, number(s.LogEnd).width())
		t.outstanding = max(t.outstanding, number(s.Outstanding).width())
		t.age = max(t.age, len(s.age(t.now)))
		t.also = max(t.also, len(s.also()))
	}
	t.marks = strips <= marksUpTo
}

// beside is the columns that are not the strip's.
func (t *mapText) beside() int {
	n := t.place + t.outstanding + t.age + 3*columnGap + len("||")
	if !t.marks {
		n += t.stable + t.end + 2*columnGap
	}
	if t.also > 0 {
		n += t.also + columnGap
	}
	return n
}

// fit cuts the strips so that they fill what room there is beside them.
func (t *mapText) fit(v MapView, o MapOptions) {
	if o.Columns = t.width - t.beside(); o.Columns < enoughColumns {
		t.also = 0
		o.Columns = t.width - t.beside()
	}
	v.cut(o)
	for s := range v.strips() {
		t.strip = max(t.strip, s.columns())
	}
}

func (t *mapText) group(g *MappedGroup) {
	t.heading(g)
	if len(g.Strips) == 0 {
		return
	}
	t.columns()
	for i := range g.Strips {
		t.partition(&g.Strips[i])
	}
	t.b.WriteByte('\n')
	t.legend(g)
}

func (t *mapText) heading(g *MappedGroup) {
	t.line(toned(g.Group, ToneStrong))
	t.line(toned(g.summary(t.now), g.Level.tone()))
}

// columns is the line with the columns' names.
func (t *mapText) columns() {
	t.line(toned(t.row("", headStable, strings.Repeat(" ", t.strip+2), headEnd, headOutstanding, headAge), ToneFaint))
}

// row is one line, in which strip stands for itself.
func (t *mapText) row(place, stable, strip, end, outstanding, age string) string {
	row := padRight(place, t.place+columnGap)
	if !t.marks {
		row += fmt.Sprintf("%*s  ", t.stable, stable)
	}
	row += strip
	if !t.marks {
		row += fmt.Sprintf("  %*s", t.end, end)
	}
	return row + fmt.Sprintf("  %*s  %*s", t.outstanding, outstanding, t.age, age)
}

func (t *mapText) partition(s *Strip) {
	place := t.paint(padRight(s.place(), t.place), sgr[ToneStrong]) + strings.Repeat(" ", columnGap)
	if s.undecoded() {
		t.b.WriteString(place)
		t.line(toned(s.Error.Class+": "+s.Error.Message, ToneBad))
		return
	}
	before, after, _ := strings.Cut(t.row("", s.Stable.String(), "\n", s.LogEnd.String(), s.Outstanding.String(), s.age(t.now)), "\n")
	t.b.WriteString(place + before[t.place+columnGap:])
	t.cells(s)
	t.b.WriteString(strings.Repeat(" ", t.strip-s.columns()) + after)
	if t.also > 0 {
		for i, k := range s.alsoKinds() {
			t.b.WriteString(separator(i, "  ", ", ") + t.paint(s.alsoText(k), k.sgr()))
		}
	}
	t.b.WriteByte('\n')
	if t.marks {
		t.marksUnder(s)
	}
}

func (t *mapText) line(c Cell) { t.b.WriteString(t.paint(Clean(c.Text), sgr[c.Tone]) + "\n") }

// paint is s, which is clean, in a colour: a sequence of [sgr].
func (t *mapText) paint(s, code string) string {
	if !t.style.Color || code == "" || s == "" {
		return s
	}
	return code + s + "\x1b[0m"
}

func padRight(s string, width int) string {
	s = Clean(s)
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

// separator is what stands before the part at i of a list.
func separator(i int, first, others string) string {
	if i == 0 {
		return first
	}
	return others
}
