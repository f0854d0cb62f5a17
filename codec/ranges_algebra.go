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
	a, b := newRest(s), newRest(t)
	var pending Range // may go on in the next stretch
	return collect(func() (Range, bool) {
		for a.ok || b.ok {
			r, inS, inT := nextStretch(&a, &b)
			switch {
			case !keep(inS, inT):
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

// rest is what a sweep has yet to come to of one set: first, and what is behind
// it. ok is false when nothing is left.
type rest struct {
	first Range
	ok    bool
	next  func() (Range, bool)
}

func newRest(s Ranges) rest {
	next := s.cursor()
	first, ok := next()
	return rest{first, ok, next}
}

// drop leaves out what lies below end, which is not beyond the end of first.
func (r *rest) drop(end int64) {
	if r.ok && r.first.Start < end {
		if r.first.Start = end; r.first.Empty() {
			r.first, r.ok = r.next()
		}
	}
}

// nextStretch takes the next offsets that are in one of the sets, up to where
// something changes: all of them are in s and in t, or not, alike.
func nextStretch(s, t *rest) (r Range, inS, inT bool) {
	a, b := s.first, t.first
	switch {
	case !t.ok || s.ok && a.End <= b.Start:
		r, inS = a, true
	case !s.ok || b.End <= a.Start:
		r, inT = b, true
	case a.Start < b.Start:
		r, inS = Range{a.Start, b.Start}, true
	case b.Start < a.Start:
		r, inT = Range{b.Start, a.Start}, true
	default:
		r, inS, inT = Range{a.Start, min(a.End, b.End)}, true, true
	}
	s.drop(r.End)
	t.drop(r.End)
	return r, inS, inT
}
