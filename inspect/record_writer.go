package inspect

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
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

// RecordWriter writes records one by one.
type RecordWriter interface {
	Write(*Record) error
	// Close writes what is left. It does not close what is written to.
	Close() error
}

// NewRecordWriter makes a writer of records to w. Whatever they hold, no control
// character reaches w as such. An output that is none of [RecordOutputs] is an
// error.
func NewRecordWriter(w io.Writer, s RecordStyle) (RecordWriter, error) {
	if !slices.Contains(RecordOutputs(), string(s.Output)) {
		return nil, fmt.Errorf("records are not written as %s: want one of %s", s.Output, strings.Join(RecordOutputs(), ", "))
	}
	switch s.Output {
	case OutputJSON:
		return &recordJSON{out: &jsonWriter{w: w}, values: s.Values}, nil
	case OutputCSV:
		out := csv.NewWriter(w)
		r := &recordCSV{out: out, style: s}
		var names []string
		for _, c := range s.columns() {
			names = append(names, c.Name)
		}
		return r, out.Write(names)
	}
	return &recordTable{out: &tableWriter{w: w, color: s.Style.Color}, style: s, columns: s.columns()}, nil
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
