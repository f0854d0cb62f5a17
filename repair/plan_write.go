package repair

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// planWriter writes the documents of plans, results and journals, piece by
// piece: ten million gaps take 260 MB as text.
type planWriter struct {
	w     io.Writer
	limit int64 // of bytes, when not 0
	bare  bool  // without the gaps, which follow from the bytes
	b     []byte
	size  int64 // that was written
	err   error
}

// piecesOf is the size of what is kept until it is written.
const piecesOf = 64 << 10

func (w *planWriter) plan(d planDocument, changes []Change) {
	w.around(d, `"changes":[]`, func() {
		w.raw(`"changes":[`)
		for i := range changes {
			if i > 0 {
				w.raw(",")
			}
			w.change(&changes[i])
		}
		w.raw("]")
	})
}

func (w *planWriter) change(c *Change) {
	w.around(c.document(), `"before":null,"after":null`, func() {
		w.raw(`"before":`)
		w.commit(&c.Before)
		w.raw(`,"after":`)
		w.commit(&c.After)
	})
}

func (w *planWriter) commit(c *Commit) {
	w.around(c.document(), `"gaps":[]`, func() {
		w.raw(`"gaps":`)
		if w.bare {
			w.raw("null")
			return
		}
		w.ranges(c.gaps())
	})
}

func (w *planWriter) ranges(rs codec.Ranges) {
	separator := byte('[')
	for r := range rs.All() {
		w.b = r.AppendJSON(append(w.b, separator))
		if separator = ','; len(w.b) > piecesOf {
			w.flush()
		}
	}
	if separator == '[' {
		w.raw("[")
	}
	w.raw("]")
}

// around writes v's document with what fill writes in place of the first hole.
// A hole is a key with a value, and texts in JSON have no bare quotes: so it can
// not stand in one.
func (w *planWriter) around(v any, hole string, fill func()) {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	before, after, found := bytes.Cut(inspect.EscapeJSON(bytes.TrimSuffix(doc.Bytes(), []byte("\n"))), []byte(hole))
	w.raw(string(before))
	if found {
		fill()
	}
	w.raw(string(after))
}

func (w *planWriter) raw(text string) {
	if w.b = append(w.b, text...); len(w.b) > piecesOf {
		w.flush()
	}
}

func (w *planWriter) flush() {
	w.size += int64(len(w.b))
	if w.err == nil && w.limit > 0 {
		w.err = checkSize(w.size, w.limit)
	}
	if w.err == nil {
		_, w.err = w.w.Write(w.b)
	}
	w.b = w.b[:0]
}

// end writes what is left.
func (w *planWriter) end() error {
	w.flush()
	return w.err
}
