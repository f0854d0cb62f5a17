package inspect

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/gapctl/gapctl/codec"
)

// jsonWriter writes one JSON document piece by piece: a description of 30,000
// partitions costs several times less than through reflection, and is never
// in memory as a whole. An empty key means an element of a list.
type jsonWriter struct {
	w   io.Writer
	b   []byte
	err error
}

// jsonStreamer is a view that writes itself, as is [JSONWriter]; the others go
// through their tags.
type jsonStreamer interface{ writeJSON(*jsonWriter) }

// JSONWriter is a view of another package that writes its JSON itself, in which
// nothing may command a terminal (see [EscapeJSON]).
type JSONWriter interface {
	WriteJSON(w io.Writer) error
}

func writeJSON(w io.Writer, v any) error {
	if s, ok := v.(JSONWriter); ok {
		if err := s.WriteJSON(w); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n")
		return err
	}
	s, ok := v.(jsonStreamer)
	if !ok {
		var doc bytes.Buffer
		enc := json.NewEncoder(&doc)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		_, err := w.Write(EscapeJSON(doc.Bytes()))
		return err
	}
	j := &jsonWriter{w: w}
	s.writeJSON(j)
	j.b = append(j.b, '\n')
	j.flush(0)
	return j.err
}

// flush writes all but the last keep bytes, which begin needs to see.
func (j *jsonWriter) flush(keep int) {
	n := len(j.b) - keep
	if j.err == nil && n > 0 {
		_, j.err = j.w.Write(j.b[:n])
	}
	j.b = append(j.b[:0], j.b[n:]...)
}

// begin separates the value from what stands before, and writes its key.
func (j *jsonWriter) begin(key string) {
	if n := len(j.b); n > 0 && j.b[n-1] != '{' && j.b[n-1] != '[' {
		j.b = append(j.b, ',')
	}
	if key != "" {
		j.b = append(j.b, '"')
		j.b = append(j.b, key...)
		j.b = append(j.b, '"', ':')
	}
}

func (j *jsonWriter) open(key string, bracket byte) {
	j.begin(key)
	j.b = append(j.b, bracket)
}

func (j *jsonWriter) close(bracket byte) {
	j.b = append(j.b, bracket)
	if len(j.b) > flushAt {
		j.flush(1)
	}
}

func (j *jsonWriter) null(key string) {
	j.begin(key)
	j.b = append(j.b, "null"...)
}

func (j *jsonWriter) str(key, s string) {
	j.begin(key)
	j.b = appendJSONString(j.b, s)
}

func (j *jsonWriter) strs(key string, list []string) {
	j.open(key, '[')
	for _, s := range list {
		j.str("", s)
	}
	j.close(']')
}

func (j *jsonWriter) name(key string, n Name) {
	if n == "" {
		j.null(key)
		return
	}
	j.str(key, string(n))
}

func (j *jsonWriter) count(key string, c Count) {
	if c < 0 {
		j.null(key)
		return
	}
	j.begin(key)
	j.b = strconv.AppendInt(j.b, int64(c), 10)
}

func (j *jsonWriter) time(key string, t Time) {
	if t.IsZero() {
		j.null(key)
		return
	}
	j.begin(key)
	j.b = t.UTC().AppendFormat(j.b, `"`+timeLayout+`"`)
}

func (j *jsonWriter) ranges(key string, rs codec.Ranges) {
	j.open(key, '[')
	for r := range rs.All() {
		j.begin("")
		if j.b = r.AppendJSON(j.b); len(j.b) > flushAt {
			j.flush(1)
		}
	}
	j.close(']')
}

func (j *jsonWriter) raw(key string, data []byte) {
	j.begin(key)
	j.b = append(j.b, data...)
}

// appendJSONString appends s quoted. What is not UTF-8 becomes U+FFFD, and
// what could command a terminal is escaped, so that a document can be shown.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && !isControl(r) && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b = append(b, s[start:i]...)
		b = appendJSONEscape(b, r)
		i += size
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendJSONEscape(b []byte, r rune) []byte {
	const short = "\"\"\\\\\bb\ff\nn\rr\tt"
	for i := 0; i < len(short); i += 2 {
		if rune(short[i]) == r {
			return append(b, '\\', short[i+1])
		}
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// EscapeJSON escapes what could command a terminal in JSON, or in YAML whose
// texts are in double quotes: there such characters, except line ends, can only
// stand inside texts.
func EscapeJSON(data []byte) []byte {
	command := func(r rune) bool { return isControl(r) && r != '\n' }
	if !bytes.ContainsFunc(data, command) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if command(r) {
			out = appendJSONEscape(out, r)
		} else {
			out = append(out, data[i:i+size]...)
		}
		i += size
	}
	return out
}
