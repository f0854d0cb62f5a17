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

// rice reports whether the body is Rice codes.
func (c container) rice() bool { return c >= containerOffsets && c <= containerRuns }

// offsetCodes appends the numbers of containerOffsets.
func offsetCodes(out []uint32, spans []span, hi uint32) []uint32 {
	last := spans[0].lo
	for range spans[0].hi - last - 1 {
		out = append(out, 0)
		last++
	}
	for _, s := range spans[1:] {
		out = appendPoints(out, s.lo-last-1, s.hi-s.lo)
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
			out = appendPoints(out, s.hi-last-1, holesEnd-s.hi)
			last = holesEnd - 1
		}
	}
	return append(out, hi-last-1)
}

// appendPoints appends the numbers of a run of n offsets: the first one's, and
// zeros. A second offset is as likely as not; so its zero is always written.
func appendPoints(out []uint32, first, n uint32) []uint32 {
	end := len(out) + int(min(n, 2))
	out = append(out, first, 0)[:end]
	for ; n > 2; n-- {
		out = append(out, 0)
	}
	return out
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
