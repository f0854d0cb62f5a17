package codec

import "math/bits"

const windowWords = NativeWindow / 64

// windowSet is the offsets of a window, one bit each, lowest bit first.
type windowSet [windowWords]uint64

func (s *windowSet) add(r span) {
	first, last := r.lo/64, (r.hi-1)/64
	head, tail := ^uint64(0)<<(r.lo%64), ^uint64(0)>>(63-(r.hi-1)%64)
	if first == last {
		s[first] |= head & tail
		return
	}
	s[first] |= head
	for i := first + 1; i < last; i++ {
		s[i] = ^uint64(0)
	}
	s[last] |= tail
}

// spans appends the runs of s that lie in frame.
func (s *windowSet) spans(frame span, out []span) []span {
	for at := frame.lo; at < frame.hi; {
		lo := s.next(at, 0)
		if lo >= frame.hi {
			break
		}
		at = min(frame.hi, s.next(lo, ^uint64(0)))
		out = append(out, span{lo, at})
	}
	return out
}

// next is the first offset from at on that is in s (flip 0) or not in s (flip
// all ones); NativeWindow when there is none.
func (s *windowSet) next(at uint32, flip uint64) uint32 {
	for i := at / 64; i < windowWords; i++ {
		word := s[i] ^ flip
		if i == at/64 {
			word &= ^uint64(0) << (at % 64)
		}
		if word != 0 {
			return i*64 + uint32(bits.TrailingZeros64(word))
		}
	}
	return NativeWindow
}

// toggle sets s to the offsets that are in one of s and s moved up by n.
func (s *windowSet) toggle(n uint32) {
	words, shift := int(n/64), n%64
	for i := windowWords - 1; i >= words; i-- {
		moved := s[i-words] << shift
		if shift > 0 && i > words {
			moved |= s[i-words-1] >> (64 - shift)
		}
		s[i] ^= moved
	}
}

// untoggle undoes toggle(n): toggling by n, 2n, 4n, … is its inverse.
func (s *windowSet) untoggle(n uint32) {
	for ; n < NativeWindow; n *= 2 {
		s.toggle(n)
	}
}
