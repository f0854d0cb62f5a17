package codec

import "slices"

// maxFlat is how many ranges are kept one by one, in 16 bytes each, which is the
// fastest to work with. Beyond it they are packed: ten million gaps in a hundred
// million offsets take 13 MB instead of 160, which takes longer to fill than
// the gaps take to decode.
const maxFlat = 1 << 16

// packedRanges is a GapSet that does not change any more.
type packedRanges struct {
	set   *GapSet
	count int // of ranges
}

// freeze takes g over, which must not change afterwards.
func (g *GapSet) freeze() Ranges {
	p := &packedRanges{set: g}
	reach := int64(-1) // end of the node before, where its last range reaches it
	for n := range g.list.all() {
		p.count += n.runs()
		base := n.window << windowBits
		if base == reach && n.first() == 0 {
			p.count--
		}
		end := base + int64(n.spansEnd())
		if n.full > 0 {
			if end != base+NativeWindow {
				p.count++
			}
			end = n.chunk(nil).fullEnd()
		}
		reach, g.max = end, end
	}
	return Ranges{packed: p}
}

// loosen is s, not packed if it need not be.
func (s Ranges) loosen() Ranges {
	if s.packed != nil && s.packed.count <= maxFlat {
		return Ranges{rs: s.flat()}
	}
	return s
}

func (p *packedRanges) first() Range {
	r, _ := newGapCursor(p.set, 0).next()
	return r
}

func (p *packedRanges) last() Range { return Range{p.set.lastGapStart(), p.set.max} }

func (p *packedRanges) contains(offset int64) bool {
	return offset >= 0 && offset < p.set.max && !p.set.Completed(offset)
}

func (p *packedRanges) clip(bounds Range) Ranges {
	c := newGapCursor(p.set, bounds.Start)
	return collect(func() (Range, bool) {
		for {
			r, ok := c.next()
			if !ok || r.Start >= bounds.End {
				return Range{}, false
			}
			if r = r.Clip(bounds); !r.Empty() {
				return r, true
			}
		}
	})
}

// cursor gives the ranges of s one by one.
func (s Ranges) cursor() func() (Range, bool) {
	if s.packed != nil {
		return newGapCursor(s.packed.set, 0).next
	}
	s = s.apart()
	i := 0
	return func() (Range, bool) {
		if i == len(s.rs) {
			return Range{}, false
		}
		i++
		return s.rs[i-1], true
	}
}

// flat is the ranges one by one.
func (s Ranges) flat() []Range {
	if s.packed != nil {
		return slices.Collect(s.All())
	}
	return s.apart().rs
}

// collect is the ranges that next gives, which are ascending and do not touch.
func collect(next func() (Range, bool)) Ranges {
	var rs []Range
	for len(rs) <= maxFlat {
		r, ok := next()
		if !ok {
			return Ranges{rs: slices.Clip(rs)}
		}
		rs = append(rs, r)
	}
	return newGapSet(&chunker{gaps: rs, pull: next}).freeze()
}

func equalPacked(s, t Ranges) bool {
	if s.Len() != t.Len() || s.Count() != t.Count() {
		return false
	}
	nextS, nextT := s.cursor(), t.cursor()
	for {
		a, ok := nextS()
		if b, _ := nextT(); a != b {
			return false
		}
		if !ok {
			return true
		}
	}
}
