package cmd

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// failure is an error that has decided how the process ends.
type failure struct {
	code int
	err  error
	hint string // what to do next, or ""
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// fail makes an error that ends the process with code.
func fail(code int, hint, format string, args ...any) error {
	return newFailure(code, hint, format, args...)
}

func newFailure(code int, hint, format string, args ...any) *failure {
	return &failure{code, fmt.Errorf(format, args...), hint}
}

// usage makes an error of the command line or the configuration.
func usage(hint, format string, args ...any) error { return fail(exitUsage, hint, format, args...) }

// judge decides how the process ends for err, which is not nil.
func (a *app) judge(err error) *failure {
	var decided *failure
	var store *gapstore.Error
	door := a.deniedAtTheDoor(err)
	switch {
	case errors.As(err, &decided):
		return &failure{decided.code, err, decided.hint}
	case errors.Is(err, errInterrupted):
		return &failure{exitInterrupted, errInterrupted, ""}
	case door != nil:
		return door
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{exitUnavailable, err, "a longer --timeout gives the cluster more time"}
	case !a.ran:
		return &failure{exitUsage, err, "gapctl help shows the commands, and gapctl help COMMAND its flags"}
	}
	f := &failure{exitFailure, err, certificateHint(err)}
	if errors.As(err, &store) && store.Hint != "" {
		f.hint = store.Hint
	}
	switch {
	case errors.Is(err, gapstore.ErrUnavailable):
		f.code = exitUnavailable
	case errors.Is(err, gapstore.ErrDenied):
		f.code = exitDenied
	case errors.Is(err, codec.ErrCorrupt), errors.Is(err, codec.ErrUnknownFormat), errors.Is(err, codec.ErrAmbiguous):
		f.code = exitCorrupt
	}
	return f
}

// certificateHint is what to do about a broker that is not trusted.
func certificateHint(err error) string {
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		return "ssl.endpoint.identification.algorithm= accepts any name"
	case errors.As(err, &authority):
		return "ssl.truststore.location names the file with the certificates to trust"
	}
	return ""
}

// finish reports err on standard error and is the exit code.
func (a *app) finish(err error) int {
	if err == nil || errors.Is(err, errReaderGone) && !decided(err) { // what it wanted to see it has seen
		if len(a.notices) > 0 {
			writeJSONLine(a.err, noticesDocument{a.notices})
		}
		return exitOK
	}
	f := a.judge(err)
	if a.wantsJSON() {
		a.writeJSONError(f)
	} else {
		a.say(f.Error())
		if f.hint != "" {
			fmt.Fprintf(a.err, "hint: %s\n", inspect.Clean(f.hint))
		}
	}
	return f.code
}

// decided reports whether something in err has decided how the process ends.
func decided(err error) bool {
	_, ok := errors.AsType[*failure](err)
	return ok
}

// say writes one line for people on standard error. Where that is for machines,
// the line is kept for the one document there.
func (a *app) say(message string) {
	switch {
	case a.mute:
	case a.wantsJSON():
		a.notices = append(a.notices, inspect.Clean(strings.TrimSpace(message)))
	default:
		a.sayNow(message)
	}
}

// sayNow is say for what must not wait for the end, since that may be far.
func (a *app) sayNow(message string) {
	message = inspect.Clean(strings.TrimSpace(message))
	switch {
	case a.mute:
	case a.wantsJSON():
		writeJSONLine(a.err, noticesDocument{[]string{message}})
	default:
		fmt.Fprintf(a.err, "gapctl: %s\n", message)
	}
}

// noticesDocument is what is said, as a machine reads it.
type noticesDocument struct {
	Notices []string `json:"notices"`
}

// errorDocument is an error as a machine reads it, with what was said before it.
type errorDocument struct {
	Error struct {
		Class   string  `json:"class"`
		Message string  `json:"message"`
		Hint    *string `json:"hint"`
	} `json:"error"`
	Notices []string `json:"notices,omitempty"`
}

func (a *app) writeJSONError(f *failure) {
	doc := errorDocument{Notices: a.notices}
	doc.Error.Class, doc.Error.Message = exitName(f.code), inspect.Clean(f.Error())
	if class := inspect.ErrorClass(f.err); class != "failure" {
		doc.Error.Class = class
	}
	if f.hint != "" {
		hint := inspect.Clean(f.hint)
		doc.Error.Hint = &hint
	}
	writeJSONLine(a.err, doc)
}

func writeJSONLine(w io.Writer, doc any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(doc) // standard error is the last place to complain to
}

// wantsJSON reports whether errors are wanted as JSON. It reads the bare
// arguments, since the error may be that they can not be parsed.
func (a *app) wantsJSON() bool {
	wanted := a.getenv("GAPCTL_OUTPUT") == "json"
	for i, arg := range a.args {
		if arg == "--" {
			break
		}
		for _, flag := range []string{"-o", "--output"} {
			switch value, found := strings.CutPrefix(arg, flag); {
			case found && value == "" && i+1 < len(a.args):
				wanted = a.args[i+1] == "json"
			case found && value != "":
				wanted = strings.TrimPrefix(value, "=") == "json"
			}
		}
	}
	return wanted
}
