package gapstore

import "encoding/binary"

// numbers reads unsigned LEB128 numbers; the first that is wrong spoils the rest.
type numbers struct {
	rest []byte
	bad  bool
}

// next is the next number, which is at most limit; 0 when there is none.
func (n *numbers) next(limit uint64) uint64 {
	v, size := binary.Uvarint(n.rest)
	if n.bad || size <= 0 || v > limit {
		n.bad = true
		return 0
	}
	n.rest = n.rest[size:]
	return v
}

// whole reports whether there were all the numbers asked for, and nothing else.
func (n *numbers) whole() bool { return !n.bad && len(n.rest) == 0 }
