package codec

import "sort"

// filter is what is done to the offsets of a window before they are written.
// Regular patterns (every third record, a key that fails in every batch)
// defeat run lengths; a filter leaves only what is not regular about them. At
// most one of the fields is set.
type filter struct {
	// stride: the offsets are single ones, all a multiple of stride apart. They
	// are written as if those between were not there.
	stride uint32
	// lag: written is where the set differs from itself lag offsets before. Of
	// a pattern with that period there is left its first period, and two
	// offsets for each exception.
	lag uint32
}

// frame is the frame of what is written.
func (f filter) frame(r span) span {
	if f.stride > 0 {
		return span{r.lo, r.lo + (r.hi-r.lo-1)/f.stride + 1}
	}
	return r
}

// commonStride is the greatest common divisor of the distances of spans when
// each is one offset, and otherwise 1.
func commonStride(spans []span) (g uint32) {
	for i, s := range spans {
		if s.hi-s.lo > 1 || g == 1 {
			return 1
		}
		if i > 0 {
			g = gcd(s.lo-spans[i-1].lo, g)
		}
	}
	return g
}

func gcd(a, b uint32) uint32 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// squeeze appends spans, which have the stride, without what lies between.
func squeeze(spans []span, stride uint32, out []span) []span {
	first := spans[0].lo
	for _, s := range spans {
		at := first + (s.lo-first)/stride
		if n := len(out); n > 0 && out[n-1].hi == at {
			out[n-1].hi++
		} else {
			out = append(out, span{at, at + 1})
		}
	}
	return out
}

// stretch undoes squeeze.
func stretch(spans []span, stride uint32, out []span) []span {
	first := spans[0].lo
	for _, s := range spans {
		for i := s.lo; i < s.hi; i++ {
			at := first + (i-first)*stride
			out = append(out, span{at, at + 1})
		}
	}
	return out
}

const (
	lagProbe = 16   // spans that must repeat before a lag is tried
	lagAgree = 12   // how many of them may do for it
	lagReach = 2048 // spans in which the first repeat is looked for
)

// findLag is a distance at which spans seem to repeat; 0 when there is none.
// Where the first half has another period than the second, it is one that does
// for both.
func findLag(spans []span) uint32 {
	middle := spans[0].lo/2 + spans[len(spans)-1].lo/2
	late := sort.Search(len(spans), func(i int) bool { return spans[i].lo > middle })
	first, second := findLagFrom(spans), findLagFrom(spans[late:])
	if first == 0 || second == 0 {
		return max(first, second)
	}
	if both := first / gcd(first, second) * second; both < NativeWindow/4 {
		return both
	}
	return first
}

// findLagFrom is the distance at which the first of spans recur.
func findLagFrom(spans []span) uint32 {
	if len(spans) < 2 {
		return 0
	}
	step, length := spans[1].lo-spans[0].lo, spans[0].hi-spans[0].lo
	near := spans[1:min(len(spans), lagReach+1)]
	for i, s := range near[:len(near)-1] {
		if near[i+1].lo-s.lo == step && s.hi-s.lo == length && agree(spans, spans[i+1:]) {
			return s.lo - spans[0].lo
		}
	}
	return 0
}

// agree reports whether most of the first of spans recur in later.
func agree(spans, later []span) bool {
	n := min(lagProbe, len(later))
	other, lag := 0, later[0].lo-spans[0].lo
	for i := range n {
		if later[i].lo-spans[i].lo != lag || later[i].hi-spans[i].hi != lag {
			if other++; (n-other)*lagProbe < n*lagAgree {
				return false
			}
		}
	}
	return true
}
