package gapstore

import "errors"

// The classes of an [*Error]; test with errors.Is.
var (
	// ErrUnavailable: no broker, no leader, no coordinator, or no answer in
	// time. Nothing was changed; safe to retry.
	ErrUnavailable = errors.New("unavailable")
	// ErrDenied: wrong credentials, or no right to do this.
	ErrDenied = errors.New("denied")
	// ErrNotFound: no such group, or no such topic.
	ErrNotFound = errors.New("not found")
	// ErrUnsupported: the broker is too old, or lacks the feature.
	ErrUnsupported = errors.New("unsupported")
)

// ErrOffline is the cause where a partition has no leader, and none of the
// replicas that may lead it is online: a broker has to be started first, so that
// to ask again soon is of no use. The class is [ErrUnavailable].
var ErrOffline = errors.New("no replica that may lead it is online")

// Error is a request that the cluster did not answer as hoped.
type Error struct {
	Class error  // one of the classes, also those of a [Hold], or nil for any other failure
	Op    string // what was tried, and on what: "describe group billing"
	Hint  string // what to do next, or ""
	Err   error  // the cause, a *kerr.Error where the broker said one
}

// Error is "op: cause".
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Op + ": " + e.Class.Error()
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap is the class and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Class, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
