package codec

// Carrier says where on Kafka the bytes of a format live.
type Carrier string

// The carriers.
const (
	// CommitMetadata is the metadata text of an ordinary offset commit.
	CommitMetadata Carrier = "commit-metadata"
	// InternalTopic is the key and value of records of an internal topic.
	InternalTopic Carrier = "internal-topic"
)

// Format is one dialect in which gap commits are written. A repair never
// changes the format that a running consumer must read.
type Format struct {
	// Name is the format's name in output and flags.
	Name string
	// Carrier is where its bytes live.
	Carrier Carrier
	// Foreign marks commit metadata that is recognised and named but holds no
	// gaps: it is never taken for gap data.
	Foreign bool
	// Writer names the software that writes it.
	Writer string
	// Encodings are the ways in which the format writes a state; nil when it
	// has but one, without a name.
	Encodings []Encoding

	// match reports whether metadata is in this format, as cheaply as can be:
	// well-formedness is the decoder's to judge. nil for internal topics.
	match func(metadata string) bool
	// begins is a first part of match, where all of match is to read the whole
	// text, as decode does: metadata is only then matched when it can not be
	// decoded. What decode accepts and begins like this, match accepts as well.
	// nil: there is no such part.
	begins func(metadata string) bool
	// decode reads metadata that match accepted. It fills State, Encoding and
	// Anomalies.
	decode func(metadata string, committed int64) (Decoded, error)
	// smallest writes s, which is canonical, in the encoding that the format's
	// own writer would choose, and names it. nil: the format is read-only.
	smallest func(s State) (Encoded, error)
}

// Encoding is one way in which a format writes a state.
type Encoding struct {
	// Name is the encoding's name in output and flags.
	Name string
	// Magic is how its bytes begin, for people: a character, or a prefix.
	Magic string
	// encode writes s, which is canonical, in exactly this encoding, whatever
	// the size. nil: the encoding is read-only.
	encode func(s State) (Encoded, error)
	// decode reads metadata as this encoding where its bytes alone do not tell
	// it from another. nil: the format's own decode tells.
	decode func(metadata string, committed int64) (Decoded, error)
}

// Writable reports whether [Encode] can write this encoding.
func (e Encoding) Writable() bool { return e.encode != nil }

// Writable reports whether [Encode] can write this format.
func (f Format) Writable() bool { return f.smallest != nil }

// Formats is the table of formats, in the order in which they are tried. To
// add one: one file, one row, and vectors.
func Formats() []Format { return formats[:] }

var formats = [...]Format{
	greyhound,
	pyrallel,
	parallelConsumer,
	kafkaStreams,
	zilla,
	jsonMetadata,
	shareGroup,
	native,
}

// Lookup is the format of that name.
func Lookup(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// mayMatch reports whether metadata is in the format, as far as can be told
// before it is decoded.
func (f *Format) mayMatch(metadata string) bool {
	if f.begins != nil {
		return f.begins(metadata)
	}
	return f.match != nil && f.match(metadata)
}

// encoding is the encoding of that name within f.
func (f Format) encoding(name string) (Encoding, bool) {
	for _, e := range f.Encodings {
		if e.Name == name {
			return e, true
		}
	}
	return Encoding{}, false
}
