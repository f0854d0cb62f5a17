package inspect

import (
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// RecordStyle says how records are written.
type RecordStyle struct {
	Output Output // table, wide, json (a line for each) or csv
	Style  Style
	Values bool // with the records' values
	States bool // with what the commit says of each
	// Deliveries is with the delivery counts, which only share groups have.
	Deliveries bool
	// OnePartition is without topic and partition, for who knows them.
	OnePartition bool
	Now          time.Time // that ages are told from
}

// RecordOutputs are the outputs of records, in the order of the help.
func RecordOutputs() []string {
	return []string{string(OutputTable), string(OutputWide), string(OutputJSON), string(OutputCSV)}
}

// RecordWriter writes records one by one. Whatever they hold, no control
// character reaches the writer as such.
type RecordWriter interface {
	Write(*Record) error
	// Close writes what is left.
	Close() error
}

// NewRecordWriter makes a writer of records to w.
func NewRecordWriter(w io.Writer, s RecordStyle) (RecordWriter, error) {
	if !slices.Contains(RecordOutputs(), string(s.Output)) {
		return nil, fmt.Errorf("records are not written as %s: want one of %s", s.Output, strings.Join(RecordOutputs(), ", "))
	}
	switch s.Output {
	case OutputJSON:
		return &recordLines{w: &jsonWriter{w: w}, values: s.Values}, nil
	case OutputCSV:
		out := csv.NewWriter(w)
		r := &recordCSV{out: out, style: s}
		var names []string
		for _, c := range s.columns() {
			names = append(names, c.Name)
		}
		return r, out.Write(names)
	}
	return &recordTable{t: &tableWriter{w: w, color: s.Style.Color}, style: s, columns: s.columns()}, nil
}

// shownKey and shownValue are how much of a key or value a table shows, in
// bytes; wide tables show ten times that.
const (
	shownKey   = 40
	shownValue = 80
)

func (s *RecordStyle) columns() []Column {
	var columns []Column
	if !s.OnePartition {
		columns = append(columns, Column{Name: "TOPIC"}, Column{Name: "PARTITION", Right: true})
	}
	columns = append(columns, Column{Name: "OFFSET", Right: true}, Column{Name: "TIMESTAMP"},
		Column{Name: "AGE", Right: true}, Column{Name: "KEY"}, Column{Name: "SIZE", Right: true})
	if s.Deliveries {
		columns = append(columns, Column{Name: "DELIVERIES", Right: true})
	}
	if s.States {
		columns = append(columns, Column{Name: "STATE"})
	}
	columns = append(columns, Column{Name: "HEADERS"})
	if s.Values {
		columns = append(columns, Column{Name: "VALUE"})
	}
	return columns
}

func (s *RecordStyle) row(r *Record) []Cell {
	at := Time{r.Timestamp}
	var row []Cell
	if !s.OnePartition {
		row = append(row, text(r.Topic), number(Count(r.Partition)))
	}
	row = append(row, number(Count(r.Offset)), at.cell(), at.ageCell(Time{s.Now}),
		s.bytesCell(r.Key, shownKey), number(Count(r.Size())))
	if s.Deliveries {
		row = append(row, number(Count(r.Deliveries)))
	}
	if s.States {
		row = append(row, text(string(r.State)))
	}
	var headers []string
	for _, h := range r.Headers {
		headers = append(headers, h.Key+"="+string(h.Value))
	}
	row = append(row, s.bytesCell([]byte(strings.Join(headers, ",")), shownValue))
	if s.Values {
		row = append(row, s.bytesCell(r.Value, shownValue))
	}
	return row
}

// Size is the bytes of key, value and headers.
func (r *Record) Size() int {
	n := len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// bytesCell shows bytes, cut short in tables; what is absent is a dash there.
func (s *RecordStyle) bytesCell(b []byte, shown int) Cell {
	switch s.Output {
	case OutputCSV:
		return text(string(b))
	case OutputWide:
		shown *= 10
	}
	switch {
	case b == nil:
		return number(-1)
	case len(b) <= shown:
		return text(string(b))
	}
	for shown > 0 && !utf8.RuneStart(b[shown]) {
		shown--
	}
	return text(string(b[:shown]) + "…")
}

// recordTable writes a table that may be endless: column widths come from the
// rows so far, and only grow.
type recordTable struct {
	t       *tableWriter
	style   RecordStyle
	columns []Column
	widths  []int
	rows    [][]Cell
}

// tableRows is how many rows are measured together.
const tableRows = 500

func (t *recordTable) Write(r *Record) error {
	t.rows = append(t.rows, t.style.row(r))
	if len(t.rows) < tableRows {
		return nil
	}
	return t.flush()
}

func (t *recordTable) flush() error {
	if len(t.rows) == 0 {
		return t.t.err
	}
	first := t.widths == nil
	if first {
		t.widths = headerWidths(t.columns)
	}
	for _, row := range t.rows {
		widen(t.widths, row)
	}
	if first {
		header := make([]Cell, len(t.columns))
		for i, c := range t.columns {
			header[i] = toned(c.Name, ToneFaint)
		}
		t.t.row(header, t.columns, t.widths)
	}
	for _, row := range t.rows {
		t.t.row(row, t.columns, t.widths)
	}
	t.rows = t.rows[:0]
	t.t.flush()
	return t.t.err
}

func (t *recordTable) Close() error { return t.flush() }

type recordCSV struct {
	out    *csv.Writer
	style  RecordStyle
	record []string
}

func (c *recordCSV) Write(r *Record) error {
	c.record = c.record[:0]
	for _, cell := range c.style.row(r) {
		c.record = append(c.record, cell.csv())
	}
	return c.out.Write(c.record)
}

func (c *recordCSV) Close() error {
	c.out.Flush()
	return c.out.Error()
}

// recordLines writes a JSON object per record and line.
type recordLines struct {
	w      *jsonWriter
	values bool
}

func (l *recordLines) Write(r *Record) error {
	j := l.w
	appendRecordJSON(j, r, l.values)
	if len(j.b) > jsonFlushAt {
		j.flush(0)
	}
	return j.err
}

func (l *recordLines) Close() error {
	l.w.flush(0)
	return l.w.err
}

// appendRecordJSON writes r as one line of JSON.
func appendRecordJSON(j *jsonWriter, r *Record, values bool) {
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
