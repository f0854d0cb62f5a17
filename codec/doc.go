// Package codec says what the bytes of a gap commit mean, and writes meaning
// as bytes, for every format in which gap commits are found on Kafka.
//
// A gap commit acknowledges records one by one, out of order. Its [State] has
// a stable offset (every offset below it is committed), a max offset (one past
// the furthest committed offset) and gaps between the two. [Decode] reads
// commit metadata and recognises the format by itself; [Encode] writes it.
// All formats stand in one table, [Formats].
//
// Invariants:
//   - Offsets are int64 and never negative; ranges are half-open.
//   - Memory is bounded by the length of the input, never by what it claims:
//     nine bytes may claim two thousand million offsets, and cost one range.
//   - No input panics. What is not well-formed is an [*Error] that names the
//     class, the position and the reason; what is well-formed but unusual is
//     decoded, with an [Anomaly].
//
// Deliberately absent: input and output, Kafka's client, logging, and any
// knowledge of the log (whether an offset still exists is not said by bytes).
package codec
