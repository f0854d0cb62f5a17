package inspect

import (
	"strconv"
	"time"
)

// SchemaVersion is the version of the JSON documents. Fields may be added to a
// version; a changed meaning is a new one.
const SchemaVersion = 1

// View is a result in its one readable shape: a struct whose JSON tags are the
// machine-readable contract, and tables for people. [Write] writes it.
type View interface {
	// Tables lays the result out.
	Tables(Layout) []Table
}

// Head is what every document begins with.
type Head struct {
	Kind          string `json:"kind"`
	SchemaVersion int    `json:"schema_version"`
}

// ClusterHead is the head of a document about a cluster.
type ClusterHead struct {
	Head
	ClusterID Name `json:"cluster_id"`
	TakenAt   Time `json:"taken_at"`
}

func clusterHead(kind string, s Snapshot) ClusterHead {
	return ClusterHead{Head{kind, SchemaVersion}, Name(s.ClusterID), Time{s.TakenAt}}
}

func (h Head) writeHead(j *jsonWriter) {
	j.str("kind", h.Kind)
	j.count("schema_version", Count(h.SchemaVersion))
}

func (h ClusterHead) writeHead(j *jsonWriter) {
	h.Head.writeHead(j)
	j.name("cluster_id", h.ClusterID)
	j.time("taken_at", h.TakenAt)
}

// Count is a number, an offset or a position that may be unknown: below 0 it
// is null in JSON and a dash in tables.
type Count int64

// MarshalJSON is the number, or null.
func (c Count) MarshalJSON() ([]byte, error) {
	if c < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(c), 10), nil
}

// String is the number, or "-".
func (c Count) String() string {
	if c < 0 {
		return "-"
	}
	return strconv.FormatInt(int64(c), 10)
}

// Name is a text that may be absent: empty, it is null in JSON.
type Name string

// MarshalJSON is the text, or null.
func (n Name) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return appendJSONString(nil, string(n)), nil
}

// Time is an instant, in UTC with milliseconds. The zero time is null in JSON
// and a dash in tables.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON is RFC 3339, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// String is RFC 3339.
func (t Time) String() string {
	return t.UTC().Format(timeLayout)
}

func (t Time) cell() Cell {
	if t.IsZero() {
		return number(-1)
	}
	return text(t.String())
}

func (t Time) ageCell(now Time) Cell {
	if t.IsZero() {
		return number(-1)
	}
	return text(string(t.appendAge(nil, now)))
}

// appendAge appends how long before now t was, in its two largest units:
// "3h12m"; nothing when t is zero.
func (t Time) appendAge(b []byte, now Time) []byte {
	if t.IsZero() {
		return b
	}
	const day = 24 * time.Hour
	d := max(0, now.Sub(t.Time))
	switch {
	case d >= day:
		return appendUnits(b, d, day, time.Hour, "dh")
	case d >= time.Hour:
		return appendUnits(b, d, time.Hour, time.Minute, "hm")
	case d >= time.Minute:
		return appendUnits(b, d, time.Minute, time.Second, "ms")
	}
	return append(strconv.AppendInt(b, int64(d/time.Second), 10), 's')
}

func appendUnits(b []byte, d, large, small time.Duration, names string) []byte {
	b = append(strconv.AppendInt(b, int64(d/large), 10), names[0])
	if rest := d % large / small; rest > 0 {
		b = append(strconv.AppendInt(b, int64(rest), 10), names[1])
	}
	return b
}
