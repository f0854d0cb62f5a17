package codec

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	// gzipBase64 is how base64 of a gzip member begins: 1f 8b 08.
	gzipBase64 = "H4sI"
	// maxGunzipped bounds the text. Greyhound keeps at most 500 gaps, which is
	// some 20 KiB; a bomb of 4 KiB would swell to 3 MiB, a larger one to more.
	maxGunzipped = 1 << 20
)

// gzipReaders keep their 40 KiB each: a text is far smaller.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// gzipWriters keep their 800 KiB each, which to make takes longer than to use.
var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// gunzip takes base64 and gzip off metadata. A limit of maxGunzipped or more
// characters is an error; a lower one only cuts the text short, for a peek.
func gunzip(metadata string, limit int64) (string, *Error) {
	fail := func(class error, position int, reason string) (string, *Error) {
		return "", &Error{Class: class, Format: greyhoundName, Encoding: "text-gzip", Position: position, Reason: reason}
	}
	raw, position := decodeBase64(metadata)
	if position >= 0 {
		return fail(ErrCorrupt, position, "not base64")
	}
	source := bytes.NewReader(raw)
	r := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(r)
	if err := r.Reset(source); err != nil {
		return fail(ErrCorrupt, 0, "not gzip: "+err.Error())
	}
	// Texts compress some three to six times: room for them at once, and fewer
	// doublings for a bomb to cause.
	var text bytes.Buffer
	text.Grow(int(min(limit+1, 8*int64(len(raw)))) + bytes.MinRead)
	n, err := text.ReadFrom(io.LimitReader(r, limit+1))
	switch {
	case n > limit && limit >= maxGunzipped:
		_, e := fail(ErrTooLarge, -1, fmt.Sprintf("decompresses to more than %d characters", limit))
		e.Need, e.Limit = int(n), int(limit)
		return "", e
	case err != nil:
		return fail(ErrCorrupt, len(raw)-source.Len(), "broken gzip: "+err.Error())
	}
	return text.String()[:min(n, limit)], nil
}

// gzipText is text as base64 of one gzip member, with the header that Java's
// GZIPOutputStream writes since Java 16: no time, unknown system (255). The
// compressed bytes differ from zlib's, as Go's deflate ends with an empty
// block; every reader takes both.
func gzipText(text string) string {
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b) // writes to a buffer do not fail
	io.WriteString(w, text)
	w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// decodeBase64 reads standard base64, padded or not, as Java's basic decoder
// does: no line breaks. The position is that of the first wrong character, -1
// when there is none.
func decodeBase64(text string) (raw []byte, position int) {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return nil, i // Go's decoder would skip them
	}
	encoding := base64.StdEncoding
	if !strings.HasSuffix(text, "=") {
		encoding = base64.RawStdEncoding
	}
	raw, err := encoding.DecodeString(text)
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) {
		return nil, int(corrupt)
	}
	return raw, -1
}
