package inspect

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// recordJSON writes a JSON object per record and line.
type recordJSON struct {
	out    *jsonWriter
	values bool
}

func (l *recordJSON) Write(r *Record) error {
	l.out.record(r, l.values)
	if len(l.out.b) > flushAt {
		l.out.flush(0)
	}
	return l.out.err
}

func (l *recordJSON) Close() error {
	l.out.flush(0)
	return l.out.err
}

// record writes r as a document and a line of its own, so without the commas that
// open and close would put between elements.
func (j *jsonWriter) record(r *Record, values bool) {
	j.b = append(j.b, '{')
	j.str("group", r.Group)
	j.str("topic", r.Topic)
	j.count("partition", Count(r.Partition))
	j.begin("offset")
	j.b = strconv.AppendInt(j.b, r.Offset, 10)
	j.time("timestamp", Time{r.Timestamp})
	j.bytes("key", r.Key)
	if values {
		j.bytes("value", r.Value)
	}
	j.b = append(j.b, `,"headers":[`...)
	for i, h := range r.Headers {
		if i > 0 {
			j.b = append(j.b, ',')
		}
		j.b = append(j.b, '{')
		j.str("key", h.Key)
		j.bytes("value", h.Value)
		j.b = append(j.b, '}')
	}
	j.b = append(j.b, ']')
	j.count("delivery_count", Count(r.Deliveries))
	j.str("state", string(r.State))
	j.count("size", Count(r.Size()))
	j.b = append(j.b, '}', '\n')
}

// bytes writes bytes as text, or, where they are no UTF-8, in base64, which a
// field KEY_encoding says then. Absent bytes are null.
func (j *jsonWriter) bytes(key string, b []byte) {
	switch {
	case b == nil:
		j.null(key)
	case utf8.Valid(b):
		j.str(key, string(b))
	default:
		j.str(key, base64.StdEncoding.EncodeToString(b))
		j.str(key+"_encoding", "base64")
	}
}
