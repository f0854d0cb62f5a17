package inspect

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
)

// writeYAML writes the JSON document as YAML: one contract, one set of tags. A
// scalar of JSON is one of YAML too, so only the brackets and commas change,
// which is done while the document passes: a description of 30,000 partitions
// takes gigabytes as a tree of nodes.
func writeYAML(w io.Writer, v View) error {
	y := &yamlWriter{w: bufio.NewWriter(w), levels: make([]yamlLevel, 1)}
	return errors.Join(writeJSON(y, v), y.w.Flush())
}

// yamlWriter turns the JSON written to it into block style.
type yamlWriter struct {
	w      *bufio.Writer
	levels []yamlLevel // around what comes next; the document is an element too
	token  []byte      // a scalar or key, as far as it has come
	quoted bool        // within a text
	escape bool        // after a backslash in it
}

// yamlLevel is an object or a list that is being written.
type yamlLevel struct {
	bracket byte
	indent  int
	begun   bool
	first   string // what separates its first item from what stands before
	keyed   bool   // the key of the next value is written
}

func (y *yamlWriter) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case y.quoted:
			y.token = append(y.token, c)
			y.quoted = y.escape || c != '"'
			y.escape = !y.escape && c == '\\'
		case c == '{', c == '[':
			y.open(c)
		case c == '}', c == ']':
			y.scalar()
			y.close(c)
		case c == ',', c == ' ', c == '\n':
			y.scalar()
		case c == ':':
			y.key()
		default:
			y.quoted = c == '"'
			y.token = append(y.token, c)
		}
	}
	return len(p), nil // bufio keeps the error for Flush
}

func (y *yamlWriter) top() *yamlLevel { return &y.levels[len(y.levels)-1] }

// lead begins an item of the innermost level.
func (y *yamlWriter) lead() {
	l := y.top()
	if l.begun {
		y.w.WriteString(strings.Repeat(" ", l.indent))
	} else {
		y.w.WriteString(l.first)
	}
	l.begun = true
}

// plainKey is a key that needs no quotes: like all of ours.
var plainKey = regexp.MustCompile(`^"([a-z]+_[a-z_]+|[a-z]{2,})"$`)

func (y *yamlWriter) key() {
	y.lead()
	if m := plainKey.FindSubmatch(y.token); m != nil && !yamlWord(string(m[1])) {
		y.token = m[1]
	}
	y.w.Write(y.token)
	y.w.WriteByte(':')
	y.token = y.token[:0]
	y.top().keyed = true
}

// yamlWord reports whether some reader takes s for something else than text.
func yamlWord(s string) bool {
	switch s {
	case "null", "true", "false", "yes", "no", "on", "off":
		return true
	}
	return false
}

// value begins a value: after its key, or as an element of a list.
func (y *yamlWriter) value() {
	if l := y.top(); l.keyed {
		l.keyed = false
	} else if len(y.levels) > 1 {
		y.lead()
		y.w.WriteByte('-')
	}
}

func (y *yamlWriter) scalar() {
	if len(y.token) == 0 {
		return
	}
	y.value()
	y.w.WriteByte(' ')
	y.w.Write(y.token)
	y.w.WriteByte('\n')
	y.token = y.token[:0]
}

func (y *yamlWriter) open(bracket byte) {
	l := yamlLevel{bracket: bracket}
	if len(y.levels) > 1 { // not the document itself
		l.indent, l.first = y.top().indent+2, " "
		if y.top().keyed {
			l.first = "\n" + strings.Repeat(" ", l.indent)
		}
	}
	y.value()
	y.levels = append(y.levels, l)
}

func (y *yamlWriter) close(bracket byte) {
	l := *y.top()
	y.levels = y.levels[:len(y.levels)-1]
	if !l.begun {
		y.w.Write([]byte{' ', l.bracket, bracket, '\n'})
	}
}
