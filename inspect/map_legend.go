package inspect

import "fmt"

// mapLegend is the order in which kinds are told.
func mapLegend() []MapKind {
	return []MapKind{MapOutstanding, MapDone, MapUnread, MapLost, MapPhantom, MapRejected, MapBeyond}
}

// used is what a legend has to explain of the group's strips: how many cells
// there are of each kind, whether any is not to scale, and the least and most
// offsets per column.
func (g *MappedGroup) used() (kinds [mapKinds]int, elided bool, least, most int64) {
	for i := range g.Strips {
		s := &g.Strips[i]
		if len(s.Cells) == 0 {
			continue
		}
		if least == 0 || s.PerColumn < least {
			least = s.PerColumn
		}
		most = max(most, s.PerColumn)
		for c := range s.Cells {
			kinds[s.Cells[c].Kind]++
			elided = elided || s.Cells[c].Elided
		}
	}
	return kinds, elided, least, most
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
