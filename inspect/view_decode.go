package inspect

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/gapctl/gapctl/codec"
)

// Decoding is what one text of metadata, or one record of an internal topic,
// says.
type Decoding struct {
	// ID is what the asker gave to tell answers apart, verbatim; nil leaves
	// the field out.
	ID json.RawMessage `json:"id,omitempty"`
	// Input is the metadata as given; null for records.
	Input       *string         `json:"input"`
	Committed   Count           `json:"committed"`
	Format      Name            `json:"format"`
	Encoding    Name            `json:"encoding"`
	Stable      Count           `json:"stable"`
	Max         Count           `json:"max"`
	Gaps        codec.Ranges    `json:"gaps"`
	GapCount    Count           `json:"gap_count"`
	Outstanding Count           `json:"outstanding"`
	Size        Count           `json:"size"`
	Anomalies   []codec.Anomaly `json:"anomalies"`
	Error       *ErrorView      `json:"error"`
	// RecordView is what a record is about; nil for metadata.
	*RecordView
}

// defaultMetadataLimit is the default of the broker's setting
// offset.metadata.max.bytes.
const defaultMetadataLimit = 4096

// Decode tells what metadata at the offset committed says, read as format ("":
// whichever it is) and encoding ("": likewise). An error is part of the answer.
func Decode(metadata string, committed int64, format, encoding string) Decoding {
	var d codec.Decoded
	var err error
	if format == "" {
		d, err = codec.Decode(metadata, committed)
	} else {
		d, err = codec.DecodeAs(format, encoding, metadata, committed)
	}
	v := newDecoding(d, err)
	v.Input, v.Committed, v.Size = &metadata, Count(committed), Count(codec.MetadataSize(metadata))
	return v
}

// FailedDecoding is the answer to what could not even be asked.
func FailedDecoding(err error) Decoding {
	v := newDecoding(codec.Decoded{}, err)
	v.Committed, v.Size = -1, -1
	return v
}

func newDecoding(d codec.Decoded, err error) Decoding {
	v := Decoding{Format: Name(d.Format), Anomalies: []codec.Anomaly{}, Error: newErrorView(err)}
	if err != nil {
		v.Stable, v.Max, v.GapCount, v.Outstanding = -1, -1, -1, -1
		var bad *codec.Error
		if errors.As(err, &bad) {
			v.Format, v.Encoding = Name(bad.Format), Name(bad.Encoding)
		}
		return v
	}
	if !d.Foreign {
		v.Encoding = Name(d.Encoding)
	}
	v.Anomalies = append(v.Anomalies, d.Anomalies...)
	v.Stable, v.Max, v.Gaps = Count(d.State.Stable), Count(d.State.Max), d.State.Gaps
	v.GapCount, v.Outstanding = Count(d.State.Gaps.Len()), Count(d.State.Outstanding())
	return v
}

// WriteLine writes v alone as one line of JSON.
func (v Decoding) WriteLine(w io.Writer) error { return writeJSON(w, v) }

func (v Decoding) writeJSON(j *jsonWriter) {
	j.open("", '{')
	if v.ID != nil {
		j.raw("id", EscapeJSON(v.ID))
	}
	if v.Input == nil {
		j.null("input")
	} else {
		j.str("input", *v.Input)
	}
	j.count("committed", v.Committed)
	j.name("format", v.Format)
	j.name("encoding", v.Encoding)
	j.count("stable", v.Stable)
	j.count("max", v.Max)
	j.ranges("gaps", v.Gaps)
	j.count("gap_count", v.GapCount)
	j.count("outstanding", v.Outstanding)
	j.count("size", v.Size)
	j.open("anomalies", '[')
	for _, a := range v.Anomalies {
		j.open("", '{')
		j.str("kind", a.Kind)
		j.str("message", a.Message)
		j.close('}')
	}
	j.close(']')
	v.Error.writeJSON(j)
	if v.RecordView != nil {
		v.RecordView.writeJSON(j)
	}
	j.close('}')
}

// DecodeView is the answer to decode.
type DecodeView struct {
	Head
	Results []Decoding `json:"results"`
}

// NewDecodeView is results in the order in which they were asked.
func NewDecodeView(results []Decoding) DecodeView {
	return DecodeView{Head{"decode", SchemaVersion}, results}
}

func (v DecodeView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	v.writeHead(j)
	j.open("results", '[')
	for _, r := range v.Results {
		r.writeJSON(j)
	}
	j.close(']')
	j.close('}')
}

// Tables is one block per result, or a single flat table.
func (v DecodeView) Tables(layout Layout) []Table {
	if layout == Flat {
		return []Table{v.flatTable()}
	}
	tables := make([]Table, len(v.Results))
	for i := range v.Results {
		tables[i] = v.Results[i].table(layout)
	}
	return tables
}

func (v DecodeView) flatTable() Table {
	return Table{
		Columns: []Column{
			{Name: "INPUT"}, {Name: "FORMAT"}, {Name: "ENCODING"}, {Name: "COMMITTED"}, {Name: "STABLE"}, {Name: "MAX"},
			{Name: "GAPS"}, {Name: "GAP-COUNT"}, {Name: "OUTSTANDING"}, {Name: "SIZE"}, {Name: "ERROR"},
		},
		Rows: rowsOf(v.Results, (*Decoding).flatRow),
	}
}

func (v *Decoding) flatRow(row []Cell) []Cell {
	input, failed := "", ""
	if v.Input != nil {
		input = *v.Input
	}
	if v.Error != nil {
		failed = v.Error.Message
	}
	return append(row,
		text(input), text(string(v.Format)), text(string(v.Encoding)), number(v.Committed), number(v.Stable),
		number(v.Max), text(v.Gaps.String()), number(v.GapCount), number(v.Outstanding),
		number(v.Size), text(failed))
}

func (v *Decoding) table(layout Layout) Table {
	var rows [][]Cell
	add := func(name, value string, tone Tone) {
		rows = append(rows, []Cell{toned(name, ToneFaint), toned(value, tone)})
	}
	switch {
	case v.Error != nil:
		add("error", v.Error.Message, ToneBad)
	default:
		add("format", v.formatText(), ToneStrong)
		add("stable", v.Stable.String(), TonePlain)
		add("max", v.Max.String(), TonePlain)
		add("gaps", v.gapsText(layout), TonePlain)
	}
	if v.Size > 0 {
		add("size", v.Size.String()+" of the "+strconv.Itoa(defaultMetadataLimit)+" characters that brokers take by default", TonePlain)
	}
	for _, a := range v.Anomalies {
		add("anomaly", a.Kind+": "+a.Message, ToneWarn)
	}
	return Table{Columns: make([]Column, 2), Rows: slices.Values(rows)}
}

func (v *Decoding) formatText() string {
	switch {
	case v.Format == "":
		return "none: a plain commit"
	case v.Encoding == "":
		return string(v.Format)
	}
	return string(v.Format) + " " + string(v.Encoding)
}

func (v *Decoding) gapsText(layout Layout) string {
	if v.Gaps.Empty() {
		return "none"
	}
	shown := string(appendShort(nil, v.Gaps))
	if layout == Wide {
		shown = v.Gaps.String()
	}
	return shown + "  (" + v.Outstanding.String() + " outstanding in " + Plural(v.GapCount, "gap") + ")"
}
