package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// engineChanges is how many records are acknowledged between two commits.
const engineChanges = 1000

// BenchmarkEngine is the gaps of a live consumer in memory, one offset in ten
// outstanding, against a Roaring bitmap: acknowledging a record, making what a
// commit writes, reading it back, and the memory that they take.
func BenchmarkEngine(b *testing.B) {
	g := grid{title: "Gaps in memory, one offset in ten, by their number", rows: []gridRow{
		{what: "acknowledge a record, in any order"}, {what: "make a commit, " + count(engineChanges) + " acknowledged"},
		{what: "  its bytes"}, {what: "load"}, {what: "memory"},
	}}
	for i := range g.rows {
		g.rows[i].against = "roaring64"
	}
	var all []*timed
	var tell []func() []string // the cells of a column
	for gaps := int64(1_000); gaps <= 10_000_000; gaps *= 10 {
		g.columns = append(g.columns, count(gaps))
		s := shape{gaps: oneIn(10)}.over(gaps * 11) // some touch each other
		offsets := someOffsets(s, true)
		var ack, commit, load [2]*timed
		var size, held [2]int
		for i, fresh := range []func() gapEngine{gapSetEngine(s), bitmapEngine(s)} {
			ack[i], commit[i] = (&acks{fresh: fresh, offsets: offsets}).acknowledging(), (&acks{fresh: fresh, offsets: offsets}).committing(b, engineChanges, &size[i])
			held[i] = heldBy(fresh)
			all = append(all, ack[i], commit[i])
		}
		load = [2]*timed{loadGapSet(b, s), loadBitmap(b, s)}
		all = append(all, load[:]...)
		tell = append(tell, func() []string {
			return []string{compareTimes(ack), compareTimes(commit), bytesCell(size[0], float64(size[1])), compareTimes(load), bytesCell(held[0], float64(held[1]))}
		})
	}
	rounds(b, cpuClock, 4*time.Millisecond, all...)
	b.ReportMetric(0, "ns/op")
	for _, column := range tell {
		for i, text := range column() {
			g.rows[i].cells = append(g.rows[i].cells, text)
		}
	}
	grids = append(grids, g)
}

func compareTimes(pair [2]*timed) string { return timeCell(pair[0].median(), pair[1].median()) }

// BenchmarkCommitCost tells what the cost of making a commit follows: span, gaps
// and changes are varied one by one. The acknowledged records are the next ones,
// as those of a consumer are, or are strewn.
func BenchmarkCommitCost(b *testing.B) {
	g := grid{title: "Making a commit, by what is there and what has changed", columns: []string{"the next ones", "bytes", "strewn", "bytes"}}
	const million = 1_000_000
	var all []*timed
	var sizes []*int
	for _, c := range []struct{ span, gaps, changes int64 }{
		{10 * million, million, 1000},
		{100 * million, million, 1000}, {1000 * million, million, 1000}, {10_000 * million, million, 1000},
		{100 * million, 1000, 1000}, {100 * million, 10_000, 1000}, {100 * million, 100_000, 1000}, {100 * million, 10 * million, 1000},
		{10 * million, million, 1}, {10 * million, million, 100}, {10 * million, million, 10_000}, {10 * million, million, 100_000},
	} {
		s := shape{gaps: oneIn(float64(c.span) / float64(c.gaps))}.over(c.span)
		g.rows = append(g.rows, gridRow{what: fmt.Sprintf("%s acknowledged of %s gaps in %s offsets", count(c.changes), count(c.gaps), count(c.span))})
		for _, strewn := range []bool{false, true} {
			size := new(int)
			a := &acks{fresh: gapSetEngine(s), offsets: someOffsets(s, strewn)}
			all, sizes = append(all, a.committing(b, int(c.changes), size)), append(sizes, size)
		}
	}
	rounds(b, cpuClock, 4*time.Millisecond, all...)
	b.ReportMetric(0, "ns/op")
	for i, t := range all {
		row := &g.rows[i/2]
		row.cells = append(row.cells, shortTime(t.median()), shortBytes(float64(*sizes[i])))
	}
	grids = append(grids, g)
}

// count is a number as people say it: 1,000 or 10 M.
func count(n int64) string {
	switch {
	case n >= 1_000_000:
		return count(n/1_000_000) + " M"
	case n >= 1000:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return fmt.Sprint(n)
}

// loadGapSet reads a set from records.
func loadGapSet(b *testing.B, s codec.State) *timed {
	records, err := codec.EncodeNative(codec.NativeCommit{NativeID: benchID, State: s})
	if err != nil {
		b.Fatal(err)
	}
	return &timed{run: func() {
		if set, _, err := nativeSlot(b, records).GapSet(); err != nil || set.Outstanding() != s.Outstanding() {
			b.Fatal(err)
		}
	}}
}

func loadBitmap(b *testing.B, s codec.State) *timed {
	data, err := roaringOf(s).ToBytes()
	if err != nil {
		b.Fatal(err)
	}
	return &timed{run: func() {
		if set := readRoaring(b, data); set.GetCardinality() != uint64(s.Outstanding()) {
			b.Fatal("not all was read")
		}
	}}
}
