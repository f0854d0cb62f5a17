package inspect

import (
	"encoding/json"
	"fmt"
)

// MapKind is what an offset is in a map. Every offset is exactly one.
type MapKind int

// The kinds. Of those that meet in one cell, the last one here is drawn, but
// [MapUnread] only where it is the larger part.
const (
	MapDone        MapKind = iota // committed
	MapUnread                     // beyond max: not read yet
	MapPhantom                    // in a gap, but no record that a consumer could get
	MapRejected                   // archived in a share group: finished, not processed
	MapBeyond                     // committed, but beyond the end of the log
	MapLost                       // not committed, and removed by retention
	MapOutstanding                // in a gap, and there to be processed
	mapKinds
)

// mapLook is how a kind looks, apart from colour: no two share a glyph.
type mapLook struct {
	name           string // in JSON, and as a class in SVG
	short, meaning string // beside a number, and in the legend
	glyph, ascii   string
	color          int // of the 256 fixed ones: at least 3.3:1 on black as on white
}

// mapDensity and mapDensityASCII are how MapOutstanding looks, by the share of
// the cell that is outstanding.
const (
	mapDensity      = "▂▃▄▅▆▇█"
	mapDensityASCII = "oO#"
)

func (k MapKind) look() mapLook {
	return [mapKinds]mapLook{
		MapDone:        {"done", "done", "done", "━", "-", 29},
		MapUnread:      {"unread", "not read", "not read yet", "┈", ".", 244},
		MapPhantom:     {"phantom", "phantom", "phantom (no record there: never closes)", "○", "?", 32},
		MapRejected:    {"rejected", "rejected", "rejected (finished, not processed)", "◆", "!", 136},
		MapBeyond:      {"beyond", "beyond the end", "committed beyond the end of the log", "»", ">", 160},
		MapLost:        {"lost", "lost", "lost (removed by retention)", "╳", "x", 133},
		MapOutstanding: {"outstanding", "outstanding", "outstanding", "█", "#", 166},
	}[k]
}

// sgr is the kind's colour as an ANSI sequence.
func (k MapKind) sgr() string { return fmt.Sprintf("\x1b[38;5;%dm", k.look().color) }

// String is the kind's name in JSON.
func (k MapKind) String() string { return k.look().name }

// MarshalJSON is the name.
func (k MapKind) MarshalJSON() ([]byte, error) { return json.Marshal(k.String()) }

// MapCounts is the number of offsets of each kind.
type MapCounts [mapKinds]int64

// MarshalJSON is an object with the number for each kind.
func (c MapCounts) MarshalJSON() ([]byte, error) {
	j := jsonWriter{}
	j.open("", '{')
	for _, k := range mapLegend() {
		j.count(k.String(), Count(c[k]))
	}
	return append(j.b, '}'), nil
}

// kind is what a cell with these counts is drawn as: trouble is never drowned
// by what surrounds it.
func (c *MapCounts) kind() MapKind {
	for k := MapOutstanding; k > MapUnread; k-- {
		if c[k] > 0 {
			return k
		}
	}
	if c[MapUnread] > c[MapDone] {
		return MapUnread
	}
	return MapDone
}
