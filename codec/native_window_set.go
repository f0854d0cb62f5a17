package codec

import (
	"math/bits"
	"slices"
)

const windowWords = NativeWindow / 64

// windowSet is the offsets of a window, one bit each, lowest bit first.
type windowSet [windowWords]uint64

func (s *windowSet) has(at uint32) bool { return s[at/64]>>(at%64)&1 == 1 }

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

// remove takes the offsets of r out, and returns how many there were.
func (s *windowSet) remove(r span) (removed int) {
	first, last := r.lo/64, (r.hi-1)/64
	for i := first; i <= last; i++ {
		mask := ^uint64(0)
		if i == first {
			mask <<= r.lo % 64
		}
		if i == last {
			mask &= ^uint64(0) >> (63 - (r.hi-1)%64)
		}
		removed += bits.OnesCount64(s[i] & mask)
		s[i] &^= mask
	}
	return removed
}

// spans appends the runs of s that lie in frame.
func (s *windowSet) spans(frame span, out []span) []span {
	starts, ends, before := len(out), len(out), uint64(0)
	for i := frame.lo / 64; i <= (frame.hi-1)/64; i++ {
		word := s.within(frame, i)
		if word|before == 0 {
			continue
		}
		out = slices.Grow(out, 64)[:starts+64]
		shifted := word<<1 | before
		for w := word &^ shifted; w != 0; w &= w - 1 {
			out[starts].lo = i*64 + uint32(bits.TrailingZeros64(w))
			starts++
		}
		for w := shifted &^ word; w != 0; w &= w - 1 {
			out[ends].hi = i*64 + uint32(bits.TrailingZeros64(w))
			ends++
		}
		out, before = out[:starts], word>>63
	}
	if ends < starts {
		out[ends].hi = frame.hi
	}
	return out
}

// within is the word i of s as far as it lies in frame.
func (s *windowSet) within(frame span, i uint32) uint64 {
	word := s[i]
	if i == frame.lo/64 {
		word &= ^uint64(0) << (frame.lo % 64)
	}
	if i == (frame.hi-1)/64 {
		word &= ^uint64(0) >> (63 - (frame.hi-1)%64)
	}
	return word
}

// clip takes what does not lie in frame out of s.
func (s *windowSet) clip(frame span) {
	clear(s[:frame.lo/64])
	for i := frame.lo / 64; i <= (frame.hi-1)/64; i++ {
		s[i] = s.within(frame, i)
	}
	clear(s[(frame.hi-1)/64+1:])
}

// fill puts an offset in s where the number of those up to it is odd: between
// the first and the second, the third and the fourth, and so on.
func (s *windowSet) fill() {
	odd := uint64(0) // all ones: the number below the word is odd
	for i, w := range s {
		for shift := 1; shift < 64; shift *= 2 {
			w ^= w << shift
		}
		s[i] = w ^ odd
		odd = -(s[i] >> 63)
	}
}

// ones is the number of offsets in s.
func (s *windowSet) ones() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// runs is the number of runs in s.
func (s *windowSet) runs() (n int) {
	before := uint64(0)
	for _, word := range s {
		n += bits.OnesCount64(word &^ (word<<1 | before))
		before = word >> 63
	}
	return n
}

// first is the lowest offset in s, which is not empty.
func (s *windowSet) first() uint32 {
	i := 0
	for s[i] == 0 {
		i++
	}
	return uint32(i*64 + bits.TrailingZeros64(s[i]))
}

// end is one past the highest offset in s, which is not empty.
func (s *windowSet) end() uint32 {
	i := windowWords - 1
	for s[i] == 0 {
		i--
	}
	return uint32(i*64 + bits.Len64(s[i]))
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
