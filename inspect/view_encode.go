package inspect

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/gapctl/gapctl/codec"
)

// Encoding is one state, written in one format.
type Encoding struct {
	// ID is what the asker gave to tell answers apart, verbatim; nil leaves
	// the field out.
	ID json.RawMessage `json:"id,omitempty"`
	// Committed is the offset to commit together with Metadata.
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
	Metadata    *string         `json:"metadata"` // null where the format writes records
	Error       *ErrorView      `json:"error"`
	// NativeRecords are the records of the native format; nil for metadata.
	*NativeRecords
}

// Encode writes s in the named format and encoding ("": the smallest). An
// error is part of the answer. A state that is not canonical is made so first;
// what that changes is an anomaly. Only the native format writes the owner.
func Encode(s codec.State, format, encoding string, owner Owner) Encoding {
	v := Encoding{Anomalies: []codec.Anomaly{}}
	if err := s.Check(); err != nil {
		v.Anomalies = append(v.Anomalies, codec.Anomaly{Kind: "not-canonical", Message: err.Error() + "; made canonical"})
	}
	s = s.Normalize()
	v.Stable, v.Max, v.Gaps = Count(s.Stable), Count(s.Max), s.Gaps
	v.GapCount, v.Outstanding = Count(s.Gaps.Len()), Count(s.Outstanding())
	if format == nativeName && encoding == "" {
		v.setNative(s, owner)
		return v
	}
	out, err := codec.Encode(s, format, encoding)
	if err != nil {
		v.Committed, v.Size, v.Format, v.Encoding, v.Error = -1, -1, Name(format), Name(encoding), newErrorView(err)
		return v
	}
	v.Committed, v.Size = Count(out.Committed), Count(out.Size)
	v.Format, v.Encoding, v.Metadata = Name(out.Format), Name(out.Encoding), &out.Metadata
	return v
}

// FailedEncoding is the answer to what could not even be asked.
func FailedEncoding(err error) Encoding {
	return Encoding{
		Committed: -1, Stable: -1, Max: -1, GapCount: -1, Outstanding: -1, Size: -1,
		Anomalies: []codec.Anomaly{}, Error: newErrorView(err),
	}
}

// WriteLine writes v alone as one line of JSON.
func (v Encoding) WriteLine(w io.Writer) error { return writeJSON(w, v) }

// EncodeView is the answer to encode.
type EncodeView struct {
	Head
	Encoding
}

// NewEncodeView is one encoding as a document.
func NewEncodeView(e Encoding) EncodeView { return EncodeView{Head{"encode", SchemaVersion}, e} }

// Tables is the metadata alone, made to be handed on; wide and flat, all of it.
func (v EncodeView) Tables(layout Layout) []Table {
	if v.NativeRecords != nil {
		return []Table{v.NativeRecords.table()}
	}
	metadata := ""
	if v.Metadata != nil {
		metadata = *v.Metadata
	}
	if layout == Narrow {
		return []Table{{Heading: []Cell{text(metadata)}}}
	}
	return []Table{{
		Columns: []Column{
			{Name: "FORMAT"}, {Name: "ENCODING"}, {Name: "COMMITTED", Right: true}, {Name: "STABLE", Right: true},
			{Name: "MAX", Right: true}, {Name: "GAPS"}, {Name: "SIZE", Right: true}, {Name: "METADATA"},
		},
		Rows: slices.Values([][]Cell{{
			text(string(v.Format)), text(string(v.Encoding.Encoding)), number(v.Committed), number(v.Stable),
			number(v.Max), text(v.Gaps.String()), number(v.Size), text(metadata),
		}}),
	}}
}
