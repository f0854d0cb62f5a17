package codec

// Union is every offset that is in s or in t.
func (s Ranges) Union(t Ranges) Ranges {
	if s.Empty() {
		return t
	}
	if t.Empty() {
		return s
	}
	if s.packed != nil || t.packed != nil {
		return sweep(s, t, func(inS, inT bool) bool { return inS || inT })
	}
	s, t = s.apart(), t.apart()
	out := make([]Range, 0, len(s.rs)+len(t.rs))
	i, j := 0, 0
	for i < len(s.rs) || j < len(t.rs) {
		if j == len(t.rs) || (i < len(s.rs) && s.rs[i].Start <= t.rs[j].Start) {
			out = appendJoined(out, s.rs[i])
			i++
		} else {
			out = appendJoined(out, t.rs[j])
			j++
		}
	}
	return Ranges{rs: out}
}

// Intersect is every offset that is in both s and t.
func (s Ranges) Intersect(t Ranges) Ranges {
	if s.packed != nil || t.packed != nil {
		return sweep(s, t, func(inS, inT bool) bool { return inS && inT })
	}
	s, t = s.apart(), t.apart()
	var out []Range
	i, j := 0, 0
	for i < len(s.rs) && j < len(t.rs) {
		a, b := s.rs[i], t.rs[j]
		if c := a.Clip(b); !c.Empty() {
			out = append(out, c)
		}
		if a.End < b.End {
			i++
		} else {
			j++
		}
	}
	return Ranges{rs: out}
}

// Sub is every offset that is in s and not in t.
func (s Ranges) Sub(t Ranges) Ranges {
	if s.Empty() || t.Empty() {
		return s
	}
	if s.packed != nil || t.packed != nil {
		return sweep(s, t, func(inS, inT bool) bool { return inS && !inT })
	}
	s, t = s.apart(), t.apart()
	out := make([]Range, 0, len(s.rs)+len(t.rs))
	j := 0
	for _, r := range s.rs {
		for j < len(t.rs) && t.rs[j].End <= r.Start {
			j++
		}
		for k := j; k < len(t.rs) && t.rs[k].Start < r.End; k++ {
			if r.Start < t.rs[k].Start {
				out = append(out, Range{r.Start, t.rs[k].Start})
			}
			r.Start = min(r.End, t.rs[k].End)
		}
		if !r.Empty() {
			out = append(out, r)
		}
	}
	return Ranges{rs: out}
}

// sweep is the offsets for which keep says so, given whether they are in s
// and in t. What is in neither is not kept.
func sweep(s, t Ranges, keep func(inS, inT bool) bool) Ranges {
	nextS, nextT := s.cursor(), t.cursor()
	a, okA := nextS()
	b, okB := nextT()
	var pending Range
	// piece is the next stretch in which nothing changes.
	piece := func() (r Range, kept bool) {
		switch {
		case !okB || okA && a.End <= b.Start:
			r, kept = a, keep(true, false)
		case !okA || b.End <= a.Start:
			r, kept = b, keep(false, true)
		case a.Start < b.Start:
			r, kept = Range{a.Start, b.Start}, keep(true, false)
		case b.Start < a.Start:
			r, kept = Range{b.Start, a.Start}, keep(false, true)
		default:
			r, kept = Range{a.Start, min(a.End, b.End)}, keep(true, true)
		}
		if okA && a.Start < r.End {
			if a.Start = r.End; a.Empty() {
				a, okA = nextS()
			}
		}
		if okB && b.Start < r.End {
			if b.Start = r.End; b.Empty() {
				b, okB = nextT()
			}
		}
		return r, kept
	}
	return collect(func() (Range, bool) {
		for okA || okB {
			r, kept := piece()
			switch {
			case !kept:
			case pending.Empty():
				pending = r
			case r.Start == pending.End:
				pending.End = r.End
			default:
				done := pending
				pending = r
				return done, true
			}
		}
		done := pending
		pending = Range{}
		return done, !done.Empty()
	})
}
