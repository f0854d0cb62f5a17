package codec

import (
	"bytes"
	"errors"
	"strings"
)

// PCStart is what a Parallel Consumer finds when it is assigned a partition.
type PCStart struct {
	Metadata  string
	Committed int64
	// LogEnd is one past the last offset of the log; -1: not known.
	LogEnd int64
	// First is the offset of the first record that it is given, at or above
	// Committed; -1: not known, which counts as Committed.
	First int64
}

// PCOutcome is what becomes of the metadata.
type PCOutcome string

// The outcomes.
const (
	PCLoads    PCOutcome = "loads"    // and goes on as intended
	PCDrops    PCOutcome = "drops"    // all from the committed offset on is processed again
	PCStops    PCOutcome = "stops"    // with an exception, until the metadata is gone
	PCMisreads PCOutcome = "misreads" // what it takes for done is not what was
)

// PCTake is how some releases of Parallel Consumer take the metadata.
type PCTake struct {
	Releases string // "up to 0.5.2.3"
	Outcome  PCOutcome
	Why      string // "" where there is nothing to explain
	// Again are the offsets that count as done and are processed again; Skips
	// are those that are not done and are never processed.
	Again, Skips Ranges
	// Known is false when the metadata does not tell what is done, so that
	// Again can not be told either.
	Known bool
}

// Takes tells what the releases of Parallel Consumer make of the metadata, in
// order of age: upstream before it compared the map with the first record
// (PartitionState.bootstrapDirtyOffsets, 0.5.2.4), upstream since, and the fork
// of 0.6, which drops every map that it can not read
// (OffsetMapCodecManager, InvalidOffsetMetadataHandlingPolicy).
func (s PCStart) Takes() []PCTake {
	d, err := Decode(s.Metadata, s.Committed)
	isMap := err == nil && !d.Foreign && (d.Format == parallelConsumerName || s.Metadata == "")
	early, later, fork := s.upstream(isMap), s.upstream(isMap), s.fork(d, isMap)
	if isMap {
		early = s.quirk(early, d)
		later, fork = s.bootstrap(later, d.State), s.bootstrap(fork, d.State)
	}
	early.Releases, later.Releases, fork.Releases = "up to 0.5.2.3", "0.5.2.4 to 0.5.3", "0.6"
	takes := []PCTake{early, later, fork}
	for i := range takes {
		t := &takes[i]
		if t.Known = isMap; isMap && t.Outcome == PCDrops {
			t.Again = d.State.completedAbove(s.Committed)
		}
	}
	return takes
}

// quirk is that no runs at offset 0 are read as record 0 being done
// (OffsetRunLength decodes the highest offset as 0).
func (s PCStart) quirk(t PCTake, d Decoded) PCTake {
	runs := d.Encoding == "run-length-v1" || d.Encoding == "run-length-v2"
	if t.Outcome == PCLoads && runs && s.Committed == 0 && d.State.Max == 0 {
		t.Outcome, t.Why = PCMisreads, "an empty map at offset 0 is read as record 0 being done"
		t.Skips = NewRanges(Range{0, 1})
	}
	return t
}

// bootstrap compares the map with the first record: where that lies below the
// first incomplete offset, the map is taken to be of another partition's past.
func (s PCStart) bootstrap(t PCTake, state State) PCTake {
	if first := max(s.First, s.Committed); t.Outcome == PCLoads && first < state.Stable {
		t.Outcome, t.Why = PCDrops, "its first record lies below the first one that the map calls not done"
	}
	return t
}

// upstream is what releases up to 0.5.3 make of the bytes.
func (s PCStart) upstream(isMap bool) PCTake {
	if s.Metadata == "" {
		return PCTake{Outcome: PCLoads}
	}
	var r pcReading
	if strings.HasPrefix(s.Metadata, z85Prefix) || r.readBase64(s.Metadata) != nil {
		return PCTake{Outcome: PCDrops, Why: "the text is not base64"}
	}
	if len(r.payload) == 0 {
		return PCTake{Outcome: PCStops, Why: "there is no magic byte"}
	}
	layout, known := pcLayoutOf(r.payload[0])
	switch {
	case r.payload[0] == 1 || r.payload[0] == 2:
		return PCTake{Outcome: PCStops, Why: "the metadata is that of Kafka Streams"}
	case !known || strings.HasPrefix(layout.name, "delta-list"):
		return PCTake{Outcome: PCStops, Why: "it does not know the magic byte"}
	case strings.HasPrefix(layout.name, "byte-array"):
		return PCTake{Outcome: PCStops, Why: "it can not load the encoding " + layout.name}
	case isMap:
		return PCTake{Outcome: PCLoads}
	}
	return r.upstreamFailure(layout)
}

// upstreamFailure is what those releases make of a body that is not well-formed:
// they look at less of it.
func (r *pcReading) upstreamFailure(layout *pcLayout) PCTake {
	body := r.payload[1:]
	if layout.zstd {
		switch err := r.decompress(body); {
		case errors.Is(err, ErrTooLarge):
			return PCTake{Outcome: PCMisreads, Why: "the map is larger than any that it writes"}
		case err != nil:
			return PCTake{Outcome: PCStops, Why: "the zstd frame is damaged"}
		}
		body = bytes.Clone(r.body)
	}
	switch b := layout.body.(type) {
	case bitSet:
		switch {
		case len(body) < int(b.width):
			return PCTake{Outcome: PCStops, Why: "the length is cut off"}
		case b.width.read(body) < 0:
			return PCTake{Outcome: PCDrops, Why: "a negative length is read as no map"}
		}
	case runLength:
		for width := int(b.width); len(body) >= width; body = body[width:] {
			if b.width.read(body) < 0 {
				return PCTake{Outcome: PCMisreads, Why: "a negative run makes it walk back, and call done what is not"}
			}
		}
	}
	return PCTake{Outcome: PCMisreads, Why: "it reads what can not be right"}
}

// fork is what 0.6 makes of the bytes.
func (s PCStart) fork(d Decoded, isMap bool) PCTake {
	drop := func(why string) PCTake { return PCTake{Outcome: PCDrops, Why: why} }
	if !isMap {
		return drop("it can not read the metadata")
	}
	for _, a := range d.Anomalies {
		switch a.Kind {
		case "empty-body", "odd-tail", "short-bits", "unloadable", "unreleased-encoding", "unreleased-text", "envelope":
			return drop("it refuses the map (" + a.Kind + ")")
		}
	}
	if s.LogEnd >= 0 && d.State.Max > max(s.LogEnd, s.Committed) {
		return drop("the map reaches beyond the end of the log")
	}
	return PCTake{Outcome: PCLoads}
}
