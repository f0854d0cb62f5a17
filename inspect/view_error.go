package inspect

import (
	"errors"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// ErrorView is why something could not be read.
type ErrorView struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	// Position is a character of the metadata, or a byte of its payload.
	Position Count `json:"position"`
	// Cause is the error itself.
	Cause error `json:"-"`
}

func newErrorView(err error) *ErrorView {
	if err == nil {
		return nil
	}
	v := &ErrorView{Class: ErrorClass(err), Message: err.Error(), Position: -1, Cause: err}
	var bad *codec.Error
	if errors.As(err, &bad) {
		v.Position = Count(bad.Position)
	}
	return v
}

// ErrorClass is the name that the output has for the class of err.
func ErrorClass(err error) string {
	switch {
	case errors.Is(err, codec.ErrCorrupt):
		return "corrupt"
	case errors.Is(err, codec.ErrUnknownFormat):
		return "unknown-format"
	case errors.Is(err, codec.ErrAmbiguous):
		return "ambiguous"
	case errors.Is(err, codec.ErrTooLarge):
		return "too-large"
	case errors.Is(err, codec.ErrUnsupported), errors.Is(err, gapstore.ErrUnsupported):
		return "unsupported"
	case errors.Is(err, gapstore.ErrDenied):
		return "denied"
	case errors.Is(err, gapstore.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, gapstore.ErrNotFound):
		return "not-found"
	}
	return "failure"
}

// writeJSON writes the field error, within an open object.
func (e *ErrorView) writeJSON(j *jsonWriter) {
	if e == nil {
		j.null("error")
		return
	}
	j.open("error", '{')
	j.str("class", e.Class)
	j.str("message", e.Message)
	j.count("position", e.Position)
	j.close('}')
}
