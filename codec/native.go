package codec

// native is the format of the internal topic __individual_commit_offsets. Its
// records are made by [EncodeNative] and read by [NativeFold]; the layout is
// specified in docs/FORMAT.md.
var native = Format{
	Name:    "native",
	Carrier: InternalTopic,
	Writer:  "gapctl",
	Encodings: []Encoding{
		{Name: containerSolid.String(), Magic: "0x00"},
		{Name: containerOffsets.String(), Magic: "0x01"},
		{Name: containerHoles.String(), Magic: "0x02"},
		{Name: containerRuns.String(), Magic: "0x03"},
		{Name: containerZstd.String(), Magic: "0x04"},
	},
	// Nothing goes into the commit's metadata; only the offset is committed.
	smallest: func(s State) (Encoded, error) { return Encoded{Committed: s.Stable}, nil },
}

// NativeTopic is the compacted topic that holds the native format.
const NativeTopic = "__individual_commit_offsets"

// NativeWindow is the number of offsets that one chunk is about. Window w
// holds the offsets [w*NativeWindow, (w+1)*NativeWindow).
const NativeWindow = 1 << windowBits

const (
	windowBits = 16
	// windowLimit is one past the highest window of an int64 offset.
	windowLimit = 1 << (63 - windowBits)
)

// Record is the key and value of one record of an internal topic. A nil Value
// is a tombstone.
type Record struct{ Key, Value []byte }

// NativeID names whose commit a native record belongs to.
type NativeID struct {
	Group     string
	TopicID   [16]byte
	Partition int32
	// Slot separates members that share one partition: each writes only its
	// own. A consumer that has the partition to itself uses slot 0.
	Slot uint32
}

// NativeStamp is what a writer says about itself in the head of a commit.
type NativeStamp struct {
	LeaderEpoch int32 // of the last committed record; -1: not known
	Generation  int32 // of the group, or the member epoch; -1: not known
	Time        int64 // of the commit, in milliseconds since 1970 UTC
}

// NativeHead is the value of a head record.
type NativeHead struct {
	// Stable and Max bound the gaps: below Stable everything is committed, at
	// or above Max nothing is, whatever a chunk says.
	Stable, Max int64
	// Outstanding is the number of offsets in gaps, and Chunks the number of
	// chunks that hold them. A reader that finds other numbers lacks a chunk.
	Outstanding, Chunks int64
	NativeStamp
}

// windows is the half-open range of windows whose chunks count under h.
func (h NativeHead) windows() Range {
	if h.Stable >= h.Max {
		return Range{}
	}
	return Range{h.Stable >> windowBits, (h.Max-1)>>windowBits + 1}
}
