package codec

import "fmt"

// container is how a chunk writes a set of offsets inside [lo,hi), of which lo
// is one. Positions count from the start of the window.
type container byte

const (
	// containerSolid: every offset of [lo,hi). No body.
	containerSolid container = 0
	// containerOffsets: the offsets, each as its distance from the one before
	// less one, the first from lo; ends with the distance to hi.
	containerOffsets container = 1
	// containerHoles: the offsets that are not in the set, the same way.
	containerHoles container = 2
	// containerRuns: the lengths less one of the runs that are in the set and
	// not in it, in turn, until hi is reached.
	containerRuns container = 3
	// containerZstd: those lengths as variable-length numbers in a zstd frame,
	// first the number of runs in the set, then theirs, then the others'.
	containerZstd container = 4
)

func (c container) String() string {
	switch c {
	case containerSolid:
		return "solid"
	case containerOffsets:
		return "offsets"
	case containerHoles:
		return "holes"
	case containerRuns:
		return "runs"
	case containerZstd:
		return "zstd"
	}
	return fmt.Sprintf("container-%d", byte(c))
}

// offsetCodes appends the numbers of containerOffsets.
func offsetCodes(out []uint32, spans []span, hi uint32) []uint32 {
	last := spans[0].lo
	for i, s := range spans {
		if i > 0 {
			out = append(out, s.lo-last-1)
		}
		for range s.hi - s.lo - 1 {
			out = append(out, 0)
		}
		last = s.hi - 1
	}
	return append(out, hi-last-1)
}

// holeCodes appends the numbers of containerHoles.
func holeCodes(out []uint32, spans []span, hi uint32) []uint32 {
	last := spans[0].lo
	for i, s := range spans {
		holesEnd := hi
		if i+1 < len(spans) {
			holesEnd = spans[i+1].lo
		}
		if s.hi < holesEnd {
			out = append(out, s.hi-last-1)
			for range holesEnd - s.hi - 1 {
				out = append(out, 0)
			}
			last = holesEnd - 1
		}
	}
	return append(out, hi-last-1)
}

// runCodes appends the numbers of containerRuns.
func runCodes(out []uint32, spans []span, hi uint32) []uint32 {
	at := spans[0].lo
	for _, s := range spans {
		if s.lo > at {
			out = append(out, s.lo-at-1)
		}
		out = append(out, s.hi-s.lo-1)
		at = s.hi
	}
	if at < hi {
		out = append(out, hi-at-1)
	}
	return out
}

// offsetSpans appends the spans that offsetCodes takes apart. The codes add up
// to the distance from lo to hi.
func offsetSpans(out []span, codes []uint32, lo uint32) []span {
	last := lo
	for _, v := range codes[:len(codes)-1] {
		if v > 0 {
			out = append(out, span{lo, last + 1})
			lo = last + 1 + v
		}
		last += 1 + v
	}
	return append(out, span{lo, last + 1})
}

// holeSpans appends the spans that holeCodes takes apart.
func holeSpans(out []span, codes []uint32, lo uint32) []span {
	last := lo
	for _, v := range codes {
		hole := last + 1 + v
		if hole > lo {
			out = append(out, span{lo, hole})
		}
		lo, last = hole+1, hole
	}
	return out
}

// runSpans appends the spans that runCodes takes apart.
func runSpans(out []span, codes []uint32, lo uint32) []span {
	for i, v := range codes {
		if i%2 == 0 {
			out = append(out, span{lo, lo + v + 1})
		}
		lo += v + 1
	}
	return out
}
