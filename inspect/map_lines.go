package inspect

import "strings"

// MapLines is a map in lines, for a screen that scrolls: each partition is one
// of them. They have the colours that were asked for, and no line ends.
type MapLines struct {
	Heading []string // the group and what is the matter with it
	Columns string   // the names of the columns
	Rows    []string // in order of the partitions
	Legend  []string
}

// NewMapLines draws s. o.Columns is the width of the whole.
func NewMapLines(s Snapshot, o MapOptions, style MapStyle) MapLines {
	t := mapText{style: style, width: o.Columns}
	v := NewMapView(s, o)
	t.measure(v)
	t.marks = false // which would be lines of their own
	t.fit(v, o)
	var lines MapLines
	take := func() []string {
		text := strings.TrimSuffix(t.b.String(), "\n")
		t.b.Reset()
		return strings.Split(text, "\n")
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		t.heading(g)
		lines.Heading = append(lines.Heading, take()...)
		for k := range g.Strips {
			t.partition(&g.Strips[k])
			lines.Rows = append(lines.Rows, take()...)
		}
		t.legend(g)
		lines.Legend = append(lines.Legend, take()...)
	}
	t.columns()
	lines.Columns = take()[0]
	return lines
}
