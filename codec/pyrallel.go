package codec

import (
	"math"
	"strings"
)

const pyrallelName = "pyrallel"

// pyrallel is the commit metadata of pyrallel-consumer (Python) with the
// strategy metadata_snapshot. It lists the offsets that are completed.
//
//	"R" [ item { "," item } ]     ranges: item = n | first "-" last, both included
//	"B" base ":" hex              bitset: byte i bit j, lowest first, is offset base+8i+j
//	"B" base ":" { "0" | "1" }    bits, 2026-02 only: character i is offset base+i
//	"O"                           overflow: too much to store, nothing is stored
//
// Numbers are decimal and absolute; 1 is completed. All below the committed
// offset is completed, and entries below it are ignored. What is above the
// highest entry is simply not listed, so it will be processed.
var pyrallel = Format{
	Name:    pyrallelName,
	Carrier: CommitMetadata,
	Writer:  "pyrallel-consumer",
	Encodings: []Encoding{
		{Name: "ranges", Magic: "R", encode: encodePyrallelRanges},
		{Name: "bitset", Magic: "B", encode: encodePyrallelBitset, decode: decodePyrallelBitset},
		{Name: "bits", Magic: "B", encode: encodePyrallelBits, decode: decodePyrallelBits},
		{Name: "overflow", Magic: "O", encode: encodePyrallelOverflow},
	},
	match:    matchPyrallel,
	decode:   decodePyrallel,
	smallest: smallestPyrallel,
}

func matchPyrallel(metadata string) bool {
	switch {
	case metadata == "O":
		return true
	case strings.HasPrefix(metadata, "R"):
		return strings.Trim(metadata[1:], "0123456789-,") == ""
	case strings.HasPrefix(metadata, "B"):
		base, _, ok := strings.Cut(metadata[1:], ":")
		return ok && isDigits(base)
	}
	return false
}

func decodePyrallel(metadata string, committed int64) (Decoded, error) {
	switch {
	case metadata == "O":
		return Decoded{Encoding: "overflow", State: Complete(committed), Anomalies: []Anomaly{{"overflow",
			"more was completed out of order than the metadata can hold, so nothing of it is recorded: every record from the committed offset on will be processed again"}}}, nil
	case strings.HasPrefix(metadata, "R"):
		return decodePyrallelRanges(metadata, committed)
	case strings.HasPrefix(metadata, "B"):
		return decodePyrallelB(metadata, committed)
	}
	p := pyrallelParser("", metadata)
	p.fail(0, "the text begins with none of R, B and O")
	return Decoded{}, p.err
}

// pyrallelParser starts behind the first character. Its errors say what the
// application does with them: it reads on, as if nothing were recorded.
func pyrallelParser(encoding, metadata string) *textParser {
	return &textParser{format: pyrallelName, encoding: encoding, text: metadata, at: min(1, len(metadata)),
		advice: "; pyrallel-consumer takes this for no completed offsets, and processes every record from the committed offset on again"}
}

func decodePyrallelRanges(metadata string, committed int64) (Decoded, error) {
	p := pyrallelParser("ranges", metadata)
	var done []Range
	sorted := true
	for first := true; p.more(); first = false {
		if !first {
			p.expect(',')
		}
		item := p.item()
		sorted = sorted && (first || item.Start >= done[len(done)-1].End)
		done = append(done, item)
	}
	if p.err != nil {
		return Decoded{}, p.err
	}
	d := pyrallelDone("ranges", done, committed)
	if !sorted {
		d.Anomalies = append(d.Anomalies, Anomaly{"unsorted", "the completed ranges are not in order, or overlap; they are shown sorted and joined"})
	}
	return d, nil
}

// item reads n, or first "-" last.
func (p *textParser) item() Range {
	at := p.at
	n := p.number()
	if p.peek() != '-' {
		return Range{n, n + 1}
	}
	p.at = at
	return p.inclusiveRange('-')
}

// pyrallelDone is what a list of completed offsets means at a commit.
func pyrallelDone(encoding string, done []Range, committed int64) Decoded {
	d := Decoded{Encoding: encoding}
	completed := normalize(done)
	if completed.First().Start < committed && !completed.Empty() {
		d.Anomalies = append(d.Anomalies, Anomaly{"below-committed",
			"offsets below the committed offset are listed as completed; they add nothing and are ignored"})
	}
	d.State = completedFrom(committed, completed.Clip(Range{committed, math.MaxInt64}))
	return d
}
