package codec

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// String is the set as people read it, ends inclusive: "3-5,9"; "" when empty.
func (s Ranges) String() string {
	var b []byte
	for r := range s.All() {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = r.appendText(b)
	}
	return string(b)
}

// MarshalJSON writes half-open ranges, [{"start":3,"end":6}]; never null.
func (s Ranges) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON returns.
func (s Ranges) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	start := len(b)
	for r := range s.All() {
		if len(b) > start {
			b = append(b, ',')
		}
		b = r.AppendJSON(b)
	}
	return append(b, ']')
}

// UnmarshalJSON reads what MarshalJSON writes; ranges may come in any order.
// A range that is empty, reversed or negative is refused.
func (s *Ranges) UnmarshalJSON(data []byte) error {
	var rs []Range
	if err := json.Unmarshal(data, &rs); err != nil {
		return err
	}
	for _, r := range rs {
		if r.Empty() || r.Start < 0 {
			return fmt.Errorf("range {start %d, end %d}: want 0 <= start < end", r.Start, r.End)
		}
	}
	*s = normalize(rs)
	return nil
}

// ParseRanges reads what [Ranges.String] writes: inclusive ranges and single
// offsets separated by commas, in any order, with optional blanks. An empty
// text is the empty set. The error names the part that is wrong.
func ParseRanges(text string) (Ranges, error) {
	if strings.TrimSpace(text) == "" {
		return Ranges{}, nil
	}
	var rs []Range
	for part := range strings.SplitSeq(text, ",") {
		r, err := parseRange(strings.TrimSpace(part))
		if err != nil {
			return Ranges{}, err
		}
		rs = append(rs, r)
	}
	return normalize(rs), nil
}

func parseRange(part string) (Range, error) {
	first, last, isRange := strings.Cut(part, "-")
	if !isRange {
		last = first
	}
	lo, errLo := strconv.ParseUint(first, 10, 63)
	hi, errHi := strconv.ParseUint(last, 10, 63)
	if errLo != nil || errHi != nil || hi+1 > 1<<63-1 {
		return Range{}, fmt.Errorf("range %q: want an offset such as 9, or a range such as 3-5 (both ends included)", part)
	}
	if hi < lo {
		return Range{}, fmt.Errorf("range %q: ends before it starts", part)
	}
	return Range{int64(lo), int64(hi) + 1}, nil
}
