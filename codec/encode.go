package codec

import "fmt"

// Encoded is a state written in one format.
type Encoded struct {
	Format, Encoding string
	// Committed is the offset that must be committed together with Metadata:
	// most formats write relative to it.
	Committed int64
	// Metadata is the text to commit; "" for internal-topic formats, and where
	// a format writes nothing when there are no gaps.
	Metadata string
	// Size is the length of Metadata in UTF-16 units.
	Size int
}

// Encode writes s, made canonical first, in the named format and encoding. An
// empty encoding picks the one that the format's own writer would choose. The
// error is an [*Error].
func Encode(s State, format, encoding string) (Encoded, error) {
	s = s.Normalize()
	if encoding == "" {
		return Smallest(format, s, 0)
	}
	f, err := writable(format)
	if err != nil {
		return Encoded{}, err
	}
	e, ok := f.encoding(encoding)
	if !ok {
		return Encoded{}, &Error{Class: ErrUnsupported, Format: format, Position: -1, Reason: fmt.Sprintf("no encoding %q", encoding)}
	}
	if e.encode == nil {
		return Encoded{}, &Error{Class: ErrUnsupported, Format: format, Encoding: encoding, Position: -1, Reason: "this encoding is read-only"}
	}
	out, err := e.encode(s)
	return f.stamp(out, encoding), err
}

// Smallest writes s, made canonical first, in the smallest encoding of the
// format. A limit above 0 bounds the metadata, in UTF-16 units; when nothing
// fits the error is ErrTooLarge with what is needed.
func Smallest(format string, s State, limit int) (Encoded, error) {
	f, err := writable(format)
	if err != nil {
		return Encoded{}, err
	}
	out, err := f.smallest(s.Normalize())
	if err != nil {
		return Encoded{}, err
	}
	out = f.stamp(out, out.Encoding)
	if limit > 0 && out.Size > limit {
		return Encoded{}, &Error{Class: ErrTooLarge, Format: format, Encoding: out.Encoding, Position: -1, Need: out.Size, Limit: limit,
			Reason: fmt.Sprintf("needs %d characters, the limit is %d", out.Size, limit)}
	}
	return out, nil
}

func writable(format string) (Format, error) {
	f, ok := Lookup(format)
	if !ok {
		return Format{}, &Error{Class: ErrUnknownFormat, Position: -1, Reason: fmt.Sprintf("no format %q", format)}
	}
	if !f.Writable() {
		return Format{}, &Error{Class: ErrUnsupported, Format: format, Position: -1, Reason: "this format is read-only"}
	}
	return f, nil
}

func (f Format) stamp(out Encoded, encoding string) Encoded {
	out.Format, out.Encoding, out.Size = f.Name, encoding, MetadataSize(out.Metadata)
	return out
}
