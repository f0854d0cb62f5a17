package inspect

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes text from outside safe to show on a terminal: control
// characters (C0, DEL, C1), characters that reorder or break lines of text,
// and bytes that are not UTF-8 come out as visible escapes, such as \x1b.
func Clean(s string) string {
	if isPlain(s) || utf8.ValidString(s) && !strings.ContainsFunc(s, isControl) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isControl(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII, as most texts are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// isControl reports whether a terminal could act on r: controls, the line and
// paragraph separators, and the marks that override the direction of text.
func isControl(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0xfeff:
		return true
	}
	return false
}
