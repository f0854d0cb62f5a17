package codec

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
)

const (
	// pyrallelLimit is what the library lets one candidate text take.
	pyrallelLimit = 4000
	// maxBitSpan bounds the bits written, so that two far offsets do not cost
	// the memory between them. It is far above what any broker accepts.
	maxBitSpan = 1 << 24
)

// smallestPyrallel chooses as the library does: the shorter of ranges and
// bitset, ranges on a tie, neither above its limit. When both are too long it
// writes the overflow mark, which forgets what is completed above the stable
// offset; the caller sees that from the Encoding.
func smallestPyrallel(s State) (Encoded, error) {
	best, err := encodePyrallelRanges(s)
	if err != nil {
		return Encoded{}, err
	}
	if s.Max-s.Stable <= 4*pyrallelLimit {
		bits, err := encodePyrallelBitset(s)
		if err != nil {
			return Encoded{}, err
		}
		if len(bits.Metadata) < len(best.Metadata) {
			best = bits
		}
	}
	if len(best.Metadata) > pyrallelLimit {
		return encodePyrallelOverflow(s)
	}
	return best, nil
}

func encodePyrallelRanges(s State) (Encoded, error) {
	return Encoded{Encoding: "ranges", Committed: s.Stable, Metadata: "R" + s.completedAbove(s.Stable).String()}, nil
}

func encodePyrallelBitset(s State) (Encoded, error) {
	if err := checkBitSpan(s, "bitset", 4); err != nil {
		return Encoded{}, err
	}
	raw := make([]byte, (s.Max-s.Stable+7)/8)
	eachCompleted(s, func(i int64) { raw[i/8] |= 1 << (i % 8) })
	return Encoded{Encoding: "bitset", Committed: s.Stable, Metadata: pyrallelBits(s, hex.EncodeToString(raw))}, nil
}

func encodePyrallelBits(s State) (Encoded, error) {
	if err := checkBitSpan(s, "bits", 1); err != nil {
		return Encoded{}, err
	}
	bits := make([]byte, s.Max-s.Stable)
	for i := range bits {
		bits[i] = '0'
	}
	eachCompleted(s, func(i int64) { bits[i] = '1' })
	return Encoded{Encoding: "bits", Committed: s.Stable, Metadata: pyrallelBits(s, string(bits))}, nil
}

func encodePyrallelOverflow(s State) (Encoded, error) {
	return Encoded{Encoding: "overflow", Committed: s.Stable, Metadata: "O"}, nil
}

func pyrallelBits(s State, bits string) string {
	return "B" + strconv.FormatInt(s.Stable, 10) + ":" + bits
}

// eachCompleted calls f for every completed offset, relative to Stable.
func eachCompleted(s State, f func(i int64)) {
	for r := range s.completedAbove(s.Stable).All() {
		for offset := r.Start; offset < r.End; offset++ {
			f(offset - s.Stable)
		}
	}
}

// checkBitSpan refuses a state too wide for bits, at so many bits a character.
func checkBitSpan(s State, encoding string, bits int64) *Error {
	span := s.Max - s.Stable
	if span <= maxBitSpan {
		return nil
	}
	need, limit := span/bits, int64(maxBitSpan)/bits
	return &Error{Class: ErrTooLarge, Format: pyrallelName, Encoding: encoding, Position: -1,
		Need: int(min(need, math.MaxInt)), Limit: int(limit),
		Reason: fmt.Sprintf("needs %d characters, the limit is %d", need, limit)}
}
