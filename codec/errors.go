package codec

import (
	"errors"
	"fmt"
)

// The classes of an [*Error]; test with errors.Is.
var (
	// ErrUnknownFormat: no format recognises the bytes.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrAmbiguous: the bytes can be read in more than one way.
	ErrAmbiguous = errors.New("ambiguous")
	// ErrUnsupported: recognised, but this format, encoding or version can
	// not be read or written here.
	ErrUnsupported = errors.New("unsupported")
	// ErrCorrupt: recognised, but not well-formed.
	ErrCorrupt = errors.New("corrupt")
	// ErrTooLarge: more than the limit (of the metadata, or of what a
	// decoder is ready to decompress).
	ErrTooLarge = errors.New("too large")
)

// Error is a failure to read or write gap data.
type Error struct {
	Class    error  // one of ErrUnknownFormat, ErrAmbiguous, ErrUnsupported, ErrCorrupt, ErrTooLarge
	Format   string // name of the format, "" when unknown
	Encoding string // name of the encoding, "" when unknown
	// Position is where: the index of a character of the metadata, or, once
	// base64 or gzip is taken off, of a byte of the payload (its magic byte is
	// 0). -1 when the failure has no single place.
	Position int
	Reason   string // why, in words; may quote input, with %q only
	// Need and Limit are the size and its bound, for ErrTooLarge; 0 otherwise.
	Need, Limit int
}

// Error is "format encoding: class at position: reason".
func (e *Error) Error() string {
	text := e.Class.Error()
	if e.Format != "" {
		name := e.Format
		if e.Encoding != "" {
			name += " " + e.Encoding
		}
		text = name + ": " + text
	}
	if e.Position >= 0 {
		text += fmt.Sprintf(" at position %d", e.Position)
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Unwrap is the class.
func (e *Error) Unwrap() error { return e.Class }
