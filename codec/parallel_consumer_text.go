package codec

import (
	"encoding/binary"
	"slices"
	"strings"
)

// The two alphabets: RFC 4648 §4, and RFC 32 of ZeroMQ (Z85), which an
// unreleased version of the fork uses after a percent sign.
const (
	base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	z85Digits    = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	z85Prefix    = "%"
	noDigit      = 0xff
)

// digitValues is the value of each character of an alphabet, or noDigit.
type digitValues [256]byte

var (
	sextets   = valuesOf(base64Digits)
	z85Values = valuesOf(z85Digits)
	quartets  = quartetsOf(&sextets)
)

// quartetValues is what a base64 digit contributes as the first to fourth of a
// group to the three bytes that the group stands for; notQuartet, if it is none.
type quartetValues [4][256]uint32

const notQuartet = 0xff << 24

func quartetsOf(digits *digitValues) (values quartetValues) {
	for i, digit := range digits {
		for place := range values {
			values[place][i] = uint32(digit) << (18 - 6*place)
			if digit == noDigit {
				values[place][i] = notQuartet
			}
		}
	}
	return values
}

func valuesOf(alphabet string) (values digitValues) {
	for i := range values {
		values[i] = noDigit
	}
	for i := range len(alphabet) {
		values[alphabet[i]] = byte(i)
	}
	return values
}

// within reports whether every character of text is in an alphabet. It reads
// them all: no value or combination of values has all bits set.
func within(text string, alphabet *digitValues) bool {
	all := byte(0)
	for len(text) >= 8 {
		all |= alphabet[text[0]] | alphabet[text[1]] | alphabet[text[2]] | alphabet[text[3]] |
			alphabet[text[4]] | alphabet[text[5]] | alphabet[text[6]] | alphabet[text[7]]
		text = text[8:]
	}
	for i := range len(text) {
		all |= alphabet[text[i]]
	}
	return all != noDigit
}

// firstOutside is the index of the first character outside an alphabet, or -1.
func firstOutside(text string, alphabet *digitValues) int {
	if within(text, alphabet) {
		return -1
	}
	for i := range len(text) {
		if alphabet[text[i]] == noDigit {
			return i
		}
	}
	return -1
}

// readText fills r.payload from the metadata.
func (r *pcReading) readText(metadata string) error {
	if z85, ok := strings.CutPrefix(metadata, z85Prefix); ok {
		return r.readZ85(z85)
	}
	return r.readBase64(metadata)
}

// readBase64 reads what Java's basic decoder accepts: padding may be missing,
// but not be wrong, and nothing else is skipped.
func (r *pcReading) readBase64(metadata string) error {
	text := strings.TrimRight(metadata, "=")
	tail := len(text) % 4
	padding := len(metadata) - len(text)
	whole := len(text) - tail
	if !r.readBase64Groups(text[:whole]) || !within(text[whole:], &sextets) {
		at := firstOutside(text, &sextets)
		return r.corrupt(at, "character %q is not base64", text[at:at+1])
	}
	switch {
	case tail == 1:
		return r.corrupt(whole, "base64 ends in the middle of a byte")
	case padding > 0 && (tail == 0 || padding != 4-tail):
		return r.corrupt(len(text), "%d padding characters in the wrong place", padding)
	case padding == 0 && tail > 0:
		r.note("missing-padding", "the base64 padding is missing: Parallel Consumer reads the map, but did not write it like this")
	}
	if tail > 0 {
		r.readBase64Tail(text[whole:])
	}
	return nil
}

// readBase64Groups reads whole groups of four; false when one has a character
// that is no digit. It is several times faster than encoding/base64, which asks
// of each character whether it is one.
func (r *pcReading) readBase64Groups(text string) bool {
	start, size := len(r.payload), len(text)/4*3
	r.payload = slices.Grow(r.payload, size+1)[:start+size]
	to := r.payload[start : start+size+1] // one byte more is written than is meant
	all := uint32(0)
	for len(text) >= 8 && len(to) >= 8 { // two groups in one go
		first, second := groupOf(text), groupOf(text[4:])
		binary.BigEndian.PutUint64(to, uint64(first)<<40|uint64(second)<<16)
		all |= first | second
		text, to = text[8:], to[6:]
	}
	for len(text) >= 4 && len(to) >= 4 {
		group := groupOf(text)
		binary.BigEndian.PutUint32(to, group<<8)
		all |= group
		text, to = text[4:], to[3:]
	}
	return all < 1<<24
}

// groupOf is the three bytes of the group that text begins with.
func groupOf(text string) uint32 {
	return quartets[0][text[0]] | quartets[1][text[1]] | quartets[2][text[2]] | quartets[3][text[3]]
}

func (r *pcReading) readBase64Tail(text string) {
	a, b, c := sextets[text[0]], sextets[text[1]], byte(0)
	r.payload = append(r.payload, a<<2|b>>4)
	spare := b << 4
	if len(text) == 3 {
		c = sextets[text[2]]
		r.payload = append(r.payload, b<<4|c>>2)
		spare = c << 6
	}
	if spare != 0 {
		r.note("dirty-base64", "the spare bits at the end of the base64 text are not zero: every reader ignores them, but Parallel Consumer did not write it like this")
	}
}

// beginsZ85 decodes the first byte. A character that is no digit counts as more
// than any, and is found later.
func beginsZ85(text string) bool {
	if len(text) < 2 {
		return false
	}
	v, ok := z85Value(text[:min(5, len(text))])
	return ok && isPCMagic(byte(v>>24))
}

// z85Value is the value of up to five digits, as if '#' filled them up; false
// when it exceeds four bytes.
func z85Value(digits string) (uint32, bool) {
	v := uint64(0)
	for i := range 5 {
		digit := byte(len(z85Digits) - 1)
		if i < len(digits) {
			digit = z85Values[digits[i]]
		}
		v = v*85 + uint64(digit)
	}
	return uint32(v), v < 1<<32
}

// readZ85 reads whole groups of five digits and a shorter one at the end, of
// which only the canonical form is right. Positions count the percent sign.
func (r *pcReading) readZ85(text string) error {
	r.note("unreleased-text", "the text is Z85, not base64: %s", pcUnreleased)
	if at := firstOutside(text, &z85Values); at >= 0 {
		return r.corrupt(at+len(z85Prefix), "character %q is not Z85", text[at:at+1])
	}
	for i := 0; i < len(text); i += 5 {
		group := text[i:min(i+5, len(text))]
		v, ok := z85Value(group)
		if !ok || !z85Canonical(group, v) {
			return r.corrupt(i+len(z85Prefix), "no bytes have the Z85 digits %q", group)
		}
		for n := range len(group) - 1 {
			r.payload = append(r.payload, byte(v>>(24-8*n)))
		}
	}
	return nil
}

// z85Canonical reports whether the bytes in the upper part of v, filled up with
// zeros, are written as group.
func z85Canonical(group string, v uint32) bool {
	n := len(group) - 1
	v &= ^uint32(0) << (32 - 8*n)
	for i := 4; i >= 0; i-- {
		if i <= n && z85Digits[v%85] != group[i] {
			return false
		}
		v /= 85
	}
	return n > 0
}
