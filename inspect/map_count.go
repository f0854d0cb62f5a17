package inspect

import "github.com/gapctl/gapctl/codec"

// countCells counts what the cells, which are in order, hold of each kind.
// Its cost is that of the gaps and the cells, however many offsets they span.
func countCells(p *Partition, cells []MapCell) {
	if len(cells) == 0 {
		return
	}
	log := codec.Range{End: cells[len(cells)-1].End} // nothing known: all of it is there
	if p.knowsLog() {
		log = codec.Range{Start: p.LogStart, End: p.LogEnd}
	}
	top := max(p.State.Stable, p.State.Max)
	held := codec.Range{Start: log.Start, End: min(top, log.End)}
	gone := codec.Range{End: min(top, log.Start)}
	phantoms := p.Phantoms.Intersect(p.State.Gaps)

	addRanges(cells, MapBeyond, span(log.End, top), unbounded())
	addRanges(cells, MapUnread, span(max(top, log.Start), log.End), unbounded())
	addRanges(cells, MapLost, span(top, log.Start), unbounded())
	addRanges(cells, MapLost, p.State.Gaps, gone)
	addRanges(cells, MapPhantom, phantoms, held)
	addRanges(cells, MapOutstanding, p.State.Gaps, held)
	addRanges(cells, MapRejected, codec.Rejected(p.State), codec.Range{End: min(top, log.End)})
	for i := range cells {
		c := &cells[i]
		c.Counts[MapOutstanding] -= c.Counts[MapPhantom]
		c.Counts[MapDone] = c.Len()
		for k := MapDone + 1; k < mapKinds; k++ {
			c.Counts[MapDone] -= c.Counts[k]
		}
	}
}

// unbounded holds every offset.
func unbounded() codec.Range { return codec.Range{End: 1<<63 - 1} }

// addRanges adds to each cell the offsets of ranges that lie in it and in
// bounds. The cells are sorted, as ranges are.
func addRanges(cells []MapCell, kind MapKind, ranges codec.Ranges, bounds codec.Range) {
	at := 0
	for r := range ranges.All() {
		if r.Start >= bounds.End {
			return
		}
		if r = r.Clip(bounds); r.Empty() {
			continue
		}
		for at < len(cells) && cells[at].End <= r.Start {
			at++
		}
		for i := at; i < len(cells) && cells[i].Start < r.End; i++ {
			cells[i].Counts[kind] += cells[i].Clip(r).Len()
		}
	}
}
