package inspect

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkGolden compares got with the file of that name, or rewrites it.
func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("..", "testdata", "golden", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	lines, wanted := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i, line := range lines {
		if i == len(wanted) || line != wanted[i] {
			t.Errorf("%s differs from line %d on: go test ./inspect -run %s -update, and look at it. Got:\n%.300s", name, i+1, t.Name(), line)
			return
		}
	}
	t.Errorf("%s ends after %d lines", name, len(lines))
}

// TestMapGolden pins how maps look.
func TestMapGolden(t *testing.T) {
	trouble, many := troubleSnapshot(), manySnapshot(40, 4000)
	texts := map[string]struct {
		s     Snapshot
		o     MapOptions
		style MapStyle
	}{
		"trouble.txt":       {trouble, MapOptions{Columns: 100}, MapStyle{}},
		"trouble-color.txt": {trouble, MapOptions{Columns: 100}, MapStyle{Color: true}},
		"trouble-ascii.txt": {trouble, MapOptions{Columns: 80}, MapStyle{ASCII: true}},
		"trouble-full.txt":  {trouble, MapOptions{Columns: 100, Full: true}, MapStyle{}},
		"narrow.txt":        {trouble, MapOptions{Columns: 1}, MapStyle{}},
		"shared.txt":        {many, MapOptions{Columns: 120, Scale: MapScaleShared}, MapStyle{}},
		"many.txt":          {many, MapOptions{Columns: 120}, MapStyle{}},
	}
	for name, c := range texts {
		var b bytes.Buffer
		if err := WriteMap(&b, c.s, c.o, c.style); err != nil {
			t.Fatal(err)
		}
		checkGolden(t, "map/"+name, b.Bytes())
	}
	var drawn, page bytes.Buffer
	if err := WriteMapSVG(&drawn, trouble, MapOptions{}); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "map/trouble.svg", drawn.Bytes())
	if err := WriteMapHTML(&page, many, MapOptions{}); err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "map/many.html", page.Bytes())
}

func BenchmarkWriteMap(b *testing.B) {
	s := manySnapshot(300, 1_000_000)
	for b.Loop() {
		if err := WriteMap(new(bytes.Buffer), s, MapOptions{Columns: 120}, MapStyle{Color: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteMapSVG(b *testing.B) {
	s := manySnapshot(300, 1_000_000)
	for b.Loop() {
		var doc bytes.Buffer
		if err := WriteMapSVG(&doc, s, MapOptions{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(doc.Len()), "bytes")
	}
}

// TestMapCounts: the cells follow each other without holes from the start of
// the log to its end, take the columns that there are, and count what asking
// offset by offset counts.
func TestMapCounts(t *testing.T) {
	s := troubleSnapshot()
	s.Groups[0].Partitions = append(s.Groups[0].Partitions,
		mapPartition(20, 5, 9, "5,7", 30, 40),   // the log begins beyond max
		mapPartition(21, 5, 9, "5,7", -1, -1),   // nothing is known of the log
		mapPartition(22, 0, 0, "", 0, 0),        // an empty log
		mapPartition(23, 40, 60, "2,45", 0, 30), // not canonical, and beyond the end
		mapPartition(24, 9, 7, "3-8", 0, 20),    // max below stable
	)
	for _, o := range []MapOptions{{Columns: 50}, {Columns: 9}, {Columns: 1000}, {Columns: 50, Full: true}, {Columns: 50, Scale: MapScaleShared}} {
		v := NewMapView(s, o)
		for i := range v.Groups[0].Strips {
			strip, p := &v.Groups[0].Strips[i], &s.Groups[0].Partitions[i]
			if p.LogEnd > 100_000 || !p.HasState() {
				continue
			}
			if o.Scale == "" && len(strip.Cells) > 0 && strip.columns() != o.Columns {
				t.Errorf("%+v, %s: %d columns", o, strip.place(), strip.columns())
			}
			for c, cell := range strip.Cells {
				if c > 0 && cell.Start != strip.Cells[c-1].End {
					t.Errorf("%+v, %s: a hole before %d", o, strip.place(), cell.Start)
				}
				var want MapCounts
				for offset := cell.Start; offset < cell.End; offset++ {
					want[offsetKind(p, offset)]++
				}
				if cell.Counts != want {
					t.Errorf("%+v, %s [%d,%d): counts %v, want %v", o, strip.place(), cell.Start, cell.End, cell.Counts, want)
				}
			}
		}
	}
}

// offsetKind is what a map says of one offset, told from the words' meaning.
func offsetKind(p *Partition, offset int64) MapKind {
	top := max(p.State.Stable, p.State.Max)
	inGap := p.State.Gaps.Contains(offset) && offset < top
	switch {
	case p.LogEnd >= 0 && offset >= p.LogEnd:
		return MapBeyond
	case p.LogStart >= 0 && offset < p.LogStart && (inGap || offset >= top):
		return MapLost
	case offset >= top:
		return MapUnread
	case inGap && p.Phantoms.Contains(offset):
		return MapPhantom
	case inGap:
		return MapOutstanding
	case codec.Rejected(p.State).Contains(offset):
		return MapRejected
	}
	return MapDone
}

// TestMapKinds: kinds can be told apart without colours.
func TestMapKinds(t *testing.T) {
	seen := map[string]MapKind{}
	for _, k := range mapLegend() {
		glyphs := []string{k.look().glyph, k.look().ascii}
		if k == MapOutstanding {
			glyphs = append(strings.Split(mapDensity, ""), strings.Split(mapDensityASCII, "")...)
		}
		for _, glyph := range glyphs {
			if other, taken := seen[glyph]; taken {
				t.Errorf("%s and %s are both drawn as %s", k, other, glyph)
			}
			seen[glyph] = k
		}
	}
	if len(mapLegend()) != int(mapKinds) {
		t.Errorf("the legend has %d of %d kinds", len(mapLegend()), mapKinds)
	}
}

// TestMapClean: names from outside command neither terminals nor browsers.
func TestMapClean(t *testing.T) {
	s := hostileSnapshot()
	for name, write := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return WriteMap(w, s, MapOptions{Columns: 80}, MapStyle{}) },
		"svg":  func(w io.Writer) error { return WriteMapSVG(w, s, MapOptions{}) },
		"html": func(w io.Writer) error { return WriteMapHTML(w, s, MapOptions{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && isControl(r) }); i >= 0 {
			t.Errorf("%s: a control character at %d", name, i)
		}
		if name != "text" && strings.Contains(b.String(), "<&>") {
			t.Errorf("%s: a name is not escaped", name)
		}
		if name == "svg" {
			var doc any
			if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Errorf("svg: %v", err)
			}
		}
	}
}
