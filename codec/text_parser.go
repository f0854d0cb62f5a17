package codec

import (
	"fmt"
	"math"
	"strconv"
)

// textParser reads decimal numbers and separators from text. The first failure
// sticks: later reads give zeros, and the caller checks once.
type textParser struct {
	format, encoding string // for errors
	text             string
	at               int
	advice           string // ends every reason: what the writing software makes of it
	err              *Error
}

// fail records the first failure, at the character where it was seen.
func (p *textParser) fail(at int, reason string, args ...any) {
	if p.err == nil {
		p.err = &Error{Class: ErrCorrupt, Format: p.format, Encoding: p.encoding, Position: at, Reason: fmt.Sprintf(reason, args...) + p.advice}
	}
}

// more reports whether anything is left to read.
func (p *textParser) more() bool { return p.err == nil && p.at < len(p.text) }

// peek is the next character, 0 at the end.
func (p *textParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// expect reads the separator c.
func (p *textParser) expect(c byte) {
	switch {
	case p.err != nil:
	case p.at == len(p.text):
		p.fail(p.at, "%q expected, the text ends", c)
	case p.peek() != c:
		p.fail(p.at, "%q expected, not %q", c, p.peek())
	default:
		p.at++
	}
}

// number reads an offset: digits, at most 2^63-2, so that one past it exists.
func (p *textParser) number() int64 {
	start := p.at
	p.at += leadingDigits(p.text[start:])
	digits := p.text[start:p.at]
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case p.peek() == '-' && digits == "":
		p.fail(start, "a negative offset")
	case digits == "":
		p.fail(start, "an offset expected")
	case err != nil || n == math.MaxInt64:
		p.fail(start, "an offset of more than 63 bits")
	default:
		return n
	}
	return 0
}

// inclusiveRange reads first, separator, last, both included.
func (p *textParser) inclusiveRange(separator byte) Range {
	at := p.at
	first := p.number()
	p.expect(separator)
	last := p.number()
	if last < first {
		p.fail(at, "the range %d to %d ends before it starts", first, last)
	}
	return Range{first, last + 1}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isDigits(text string) bool { return text != "" && leadingDigits(text) == len(text) }

// leadingDigits is how many digits text begins with.
func leadingDigits(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}
