package codec

import (
	"fmt"
	"unicode/utf8"
)

// Decoded is what one commit says.
type Decoded struct {
	// Format is the name of the format, "" when there is no metadata.
	Format string
	// Encoding is the name of the encoding, "" when the format has but one.
	Encoding string
	// Foreign is true when the format is recognised but holds no gaps; State
	// is then that of the committed offset alone.
	Foreign bool
	// State is the meaning. It need not be canonical.
	State State
	// Size is the length of the metadata in UTF-16 units, which is what
	// Kafka's offset.metadata.max.bytes counts.
	Size int
	// Anomalies are what is unusual about the bytes, in order of position.
	Anomalies []Anomaly
}

// Anomaly is something unusual about bytes that could be read all the same.
type Anomaly struct {
	Kind    string `json:"kind"`    // a stable name, such as "odd-tail"
	Message string `json:"message"` // what it is and what it means
}

// Decode reads the metadata of a commit at offset committed (not negative) and
// recognises its format. Empty metadata is a plain commit: no gaps, Format "".
// The error is an [*Error].
func Decode(metadata string, committed int64) (d Decoded, err error) {
	if metadata == "" {
		return Decoded{State: Complete(committed)}, nil
	}
	for i := range formats {
		f := &formats[i]
		if !f.mayMatch(metadata) {
			continue
		}
		if err = f.read(&d, metadata, committed); err == nil || f.match(metadata) {
			return d, err
		}
	}
	return Decoded{}, &Error{Class: ErrUnknownFormat, Position: -1, Reason: "no format recognises the metadata"}
}

// DecodeAs reads metadata as the named format, whatever it looks like. An
// encoding settles what the bytes leave open; "" recognises it. An encoding
// that the bytes plainly contradict is ErrUnsupported.
func DecodeAs(format, encoding, metadata string, committed int64) (d Decoded, err error) {
	f, ok := Lookup(format)
	if !ok || f.decode == nil {
		return Decoded{}, &Error{Class: ErrUnsupported, Format: format, Position: -1, Reason: "not a format of commit metadata"}
	}
	if encoding == "" {
		err = f.read(&d, metadata, committed)
		return d, err
	}
	e, ok := f.encoding(encoding)
	if !ok {
		return Decoded{}, &Error{Class: ErrUnsupported, Format: format, Position: -1, Reason: fmt.Sprintf("no encoding %q", encoding)}
	}
	if e.decode != nil {
		f.decode = e.decode
	}
	err = f.read(&d, metadata, committed)
	if err == nil && d.Encoding != encoding {
		return Decoded{}, &Error{Class: ErrUnsupported, Format: format, Encoding: encoding, Position: -1, Reason: "the metadata is in encoding " + d.Encoding}
	}
	return d, err
}

// read fills d, which it is cheaper not to copy twice; on an error d is empty.
func (f *Format) read(d *Decoded, metadata string, committed int64) (err error) {
	if committed < 0 {
		return &Error{Class: ErrCorrupt, Format: f.Name, Position: -1, Reason: "the committed offset is negative"}
	}
	if *d, err = f.decode(metadata, committed); err != nil {
		*d = Decoded{}
		return err
	}
	d.Format, d.Foreign = f.Name, f.Foreign
	if d.Size == 0 { // the format does not know better
		d.Size = MetadataSize(metadata)
	}
	return nil
}

// MetadataSize is the length of metadata in UTF-16 units, the unit in which
// the broker counts offset.metadata.max.bytes (it compares String.length()).
func MetadataSize(metadata string) int {
	n := 0
	for n < len(metadata) && metadata[n] < utf8.RuneSelf {
		n++
	}
	for _, r := range metadata[n:] {
		n++
		if r > 0xffff {
			n++ // a surrogate pair
		}
	}
	return n
}
