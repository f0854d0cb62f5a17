package codec

import "fmt"

// pcForkRefuses is what the fork does with a map that it does not like.
const pcForkRefuses = "Parallel Consumer 0.6 refuses the map and processes everything from the committed offset again"

func (r *pcReading) corrupt(position int, format string, args ...any) error {
	return &Error{Class: ErrCorrupt, Format: parallelConsumerName, Encoding: r.encoding, Position: position, Reason: fmt.Sprintf(format, args...)}
}

func (r *pcReading) note(kind, format string, args ...any) {
	r.anomalies = append(r.anomalies, Anomaly{Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// noteWhole notes what is unusual about the map as a whole. A map as Parallel
// Consumer writes it starts with an incomplete offset and ends with a complete
// one. The gaps lie in bounds.
func (r *pcReading) noteWhole(bounds Range) {
	if r.n == 0 {
		return
	}
	end := r.base + r.n
	if bounds.Empty() || bounds.Start > r.base {
		r.note("starts-complete", "the committed offset %d is itself complete: if its record still exists, Parallel Consumer 0.5.2.4 and later discards the map and processes everything from there again", r.base)
	}
	if bounds.End == end && !bounds.Empty() {
		r.note("ends-incomplete", "the offsets up to %d are not complete: written by Parallel Consumer 0.3 or earlier, or edited", end-1)
	}
	if r.n >= pcHugeSpan {
		r.note("huge-span", "the map claims to know %d offsets, up to %d: whatever it calls complete is skipped, whether it was ever processed or not", r.n, end-1)
	}
}
