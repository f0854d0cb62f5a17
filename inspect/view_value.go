package inspect

import (
	"strconv"
	"time"
)

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

// appendAge appends how long before now t was, as [Spell] puts it; nothing when t
// is zero.
func (t Time) appendAge(b []byte, now Time) []byte {
	if t.IsZero() {
		return b
	}
	return appendSpell(b, now.Sub(t.Time))
}

// Spell is d in its two largest units, such as 3h12m; below a second, 0s.
func Spell(d time.Duration) string { return string(appendSpell(nil, d)) }

func appendSpell(b []byte, d time.Duration) []byte {
	const day = 24 * time.Hour
	d = max(0, d)
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
