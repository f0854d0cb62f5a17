package codec

import "strconv"

// Range is the half-open range of offsets [Start,End): Start is in it, End is
// not. A range with End <= Start is empty.
type Range struct {
	Start int64 `json:"start"` // first offset, inclusive
	End   int64 `json:"end"`   // one past the last offset, exclusive
}

// Len is the number of offsets in r; 0 when r is empty.
func (r Range) Len() int64 { return max(0, r.End-r.Start) }

// Empty reports whether r holds no offset.
func (r Range) Empty() bool { return r.End <= r.Start }

// Contains reports whether offset lies in r.
func (r Range) Contains(offset int64) bool { return r.Start <= offset && offset < r.End }

// Clip is the part of r that lies in bounds; empty when they do not meet.
func (r Range) Clip(bounds Range) Range {
	c := Range{max(r.Start, bounds.Start), min(r.End, bounds.End)}
	if c.Empty() {
		return Range{}
	}
	return c
}

// String is r as people read ranges, with both ends inclusive: "3-5", or "9"
// for a single offset, and "" when r is empty.
func (r Range) String() string { return string(r.appendText(nil)) }

func (r Range) appendText(b []byte) []byte {
	if r.Empty() {
		return b
	}
	b = strconv.AppendInt(b, r.Start, 10)
	if r.Len() > 1 {
		b = append(b, '-')
		b = strconv.AppendInt(b, r.End-1, 10)
	}
	return b
}

// AppendJSON appends {"start":3,"end":6}.
func (r Range) AppendJSON(b []byte) []byte {
	b = append(b, `{"start":`...)
	b = strconv.AppendInt(b, r.Start, 10)
	b = append(b, `,"end":`...)
	b = strconv.AppendInt(b, r.End, 10)
	return append(b, '}')
}
