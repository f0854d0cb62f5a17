package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// codecSpan is as many offsets as Parallel Consumer has room for in 4,096
// characters, with a bit for each.
const codecSpan = 24_000

// BenchmarkCodec writes and reads gaps of each shape, in each encoding that can
// be written: Parallel Consumer's against the real library's own code, the
// native format against Roaring bitmaps; and what they take against what is
// needed.
func BenchmarkCodec(b *testing.B) {
	var states []codec.State
	columns := make([]string, len(shapes))
	for i, s := range shapes {
		columns[i] = s.name
		states = append(states, s.over(codecSpan))
	}
	codecs := []codecOf{nativeCodec(), libraryChoice()}
	for _, name := range []string{"parallel-consumer", "greyhound", "pyrallel"} {
		format, _ := codec.Lookup(name)
		for _, e := range format.Encodings {
			if e.Writable() && e.Name != "overflow" { // which says that there are gaps, and no more
				codecs = append(codecs, textCodec(name, e.Name))
			}
		}
	}
	compareCodecs(b, "gaps in "+count(codecSpan)+" offsets", columns, states, codecs)
}

// BenchmarkCodecMillion does so with a million gaps. Only the native format has
// room for them: a broker would refuse what Parallel Consumer writes.
func BenchmarkCodecMillion(b *testing.B) {
	var states []codec.State
	var columns []string
	for i, span := range []int64{0, 1_000_000_000, 11_100_000, 4_000_000, 2_000_000, 250_000_000} {
		if span > 0 {
			columns = append(columns, shapes[i].name)
			states = append(states, shapes[i].over(span))
		}
	}
	compareCodecs(b, "a million gaps", columns, states, []codecOf{nativeCodec(), libraryChoice()})
}

// codecCells is one encoding of one state: what it takes, and the other's.
type codecCells struct {
	refused        bool // the encoding has no room for it
	size           int
	encode, decode *timed
}

func compareCodecs(b *testing.B, what string, columns []string, states []codec.State, codecs []codecOf) {
	roaring := roaringCodec()
	var all []*timed
	table := make([][]codecCells, len(codecs))
	bitmaps := make([]codecCells, len(states))
	for i, s := range states {
		bitmaps[i] = roaring.cells(b, s)
		all = append(all, bitmaps[i].encode, bitmaps[i].decode)
	}
	for row, c := range codecs {
		for _, s := range states {
			cells := c.cells(b, s)
			table[row] = append(table[row], cells)
			if !cells.refused {
				all = append(all, cells.encode, cells.decode)
			}
		}
	}
	library := kafkatest.PCTimes(b, libraryWork(states, codecs), 150*time.Millisecond)
	rounds(b, cpuClock, 4*time.Millisecond, all...)
	b.ReportMetric(0, "ns/op")

	sizes := grid{title: "Bytes for " + what + "; × the least that so many random gaps need, log2 C(span, gaps)", columns: columns}
	encode := grid{title: "Time to write " + what, columns: columns}
	decode := grid{title: "Time to read " + what, columns: columns}
	needed := gridRow{what: "the least"}
	kept := gridRow{what: "roaring64"}
	for i, s := range states {
		needed.cells = append(needed.cells, shortBytes(leastBytes(s)))
		kept.cells = append(kept.cells, bytesCell(bitmaps[i].size, leastBytes(s)))
	}
	sizes.rows = append(sizes.rows, needed, kept)
	for row, c := range codecs {
		size, write, read := gridRow{what: c.name}, gridRow{what: c.name, against: c.against()}, gridRow{what: c.name, against: c.against()}
		for i, cells := range table[row] {
			if cells.refused {
				size.cells, write.cells, read.cells = append(size.cells, "-"), append(write.cells, "-"), append(read.cells, "-")
				continue
			}
			theirWrite, theirRead := library[workName("write", c, i)].PerState, library[workName("read", c, i)].PerState
			if c.native {
				theirWrite, theirRead = bitmaps[i].encode.median(), bitmaps[i].decode.median()
			}
			size.cells = append(size.cells, bytesCell(cells.size, leastBytes(states[i])))
			write.cells = append(write.cells, timeCell(cells.encode.median(), theirWrite))
			read.cells = append(read.cells, timeCell(cells.decode.median(), theirRead))
		}
		sizes.rows, encode.rows, decode.rows = append(sizes.rows, size), append(encode.rows, write), append(decode.rows, read)
		if own := librarySizes(c, states, library); c.library && !slices.Equal(own.cells, size.cells) {
			sizes.rows = append(sizes.rows, own)
		}
	}
	grids = append(grids, sizes, encode, decode)
}

func workName(what string, c codecOf, state int) string {
	return fmt.Sprint(what, " ", c.name, " ", state)
}

// librarySizes is what the real library takes.
func librarySizes(c codecOf, states []codec.State, library map[string]kafkatest.PCTime) gridRow {
	row := gridRow{what: "  the library's own"}
	for i, s := range states {
		text := "-"
		if took, ok := library[workName("write", c, i)]; ok {
			text = bytesCell(took.Size, leastBytes(s))
		}
		row.cells = append(row.cells, text)
	}
	return row
}

// libraryMost is the largest span that the real library, which goes through it
// offset by offset, is given.
const libraryMost = 20_000_000

// libraryWork is what the real library is to do: to write each state in each of
// its encodings, and to read what ours has written.
func libraryWork(states []codec.State, codecs []codecOf) []kafkatest.PCWork {
	var work []kafkatest.PCWork
	for _, c := range codecs {
		for i, s := range states {
			if !c.library || s.Max > libraryMost {
				continue
			}
			encoded, err := codec.Encode(s, "parallel-consumer", c.encoding)
			if err != nil {
				continue // it has no room for the state
			}
			write := kafkatest.PCWork{Name: workName("write", c, i), Committed: s.Stable, Highest: s.Max - 1, Encoding: javaName(c.encoding)}
			for r := range s.Gaps.All() {
				write.Incompletes = append(write.Incompletes, [2]int64{r.Start, r.End})
			}
			work = append(work, write, kafkatest.PCWork{Name: workName("read", c, i), Committed: encoded.Committed, Metadata: encoded.Metadata})
		}
	}
	return work
}

// javaName is how OffsetEncoding calls run-length-v2-zstd: RunLengthV2Compressed.
func javaName(encoding string) string {
	return strings.NewReplacer("run-length", "RunLength", "bit-set", "BitSet", "-v1", "", "-v2", "V2", "-zstd", "Compressed").Replace(encoding)
}
