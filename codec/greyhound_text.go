package codec

import (
	"fmt"
	"strconv"
)

// greyhoundText is s as greyhound writes it.
func greyhoundText(s State) string {
	b := strconv.AppendInt(nil, s.Max, 10)
	b = append(b, '#')
	start := len(b)
	for gap := range s.Gaps.All() {
		if len(b) > start {
			b = append(b, '$')
		}
		b = strconv.AppendInt(b, gap.Start, 10)
		b = append(b, '_')
		b = strconv.AppendInt(b, gap.End-1, 10)
	}
	return string(b)
}

// greyhoundAnomalies is what is unusual about gaps, as they stand in the text.
func greyhoundAnomalies(gaps []Range, high, committed int64) []Anomaly {
	var found []Anomaly
	note := func(kind, message string, args ...any) {
		found = append(found, Anomaly{kind, fmt.Sprintf(message, args...)})
	}
	if len(gaps) > 1 {
		fate := "the records in them are never handled"
		if committed == gaps[0].Start {
			fate = "every record from the committed offset on is handled again"
		}
		note("forgotten-gaps", "greyhound cannot read back more than one gap: on its next start it takes these %d for none, and %s; they are still recorded here", len(gaps), fate)
	}
	for i := 1; i < len(gaps); i++ {
		if gaps[i].Start < gaps[i-1].End {
			note("unsorted", "gap %s does not come after gap %s; the gaps are shown sorted and joined", gaps[i], gaps[i-1])
			break
		}
	}
	for _, gap := range gaps {
		if gap.End > high {
			note("gap-above-offset", "gap %s reaches the offset %d, from which on nothing is handled anyway; the part from there on is not counted as a gap", gap, high)
			break
		}
	}
	if committed != high && (len(gaps) == 0 || committed != gaps[0].Start) {
		note("committed-differs", "the committed offset %d is neither the recorded offset %d nor the start of a gap: something else has committed", committed, high)
	}
	return found
}
