package cmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// reading is what of a snapshot could be read.
type reading struct {
	read      int     // groups and partitions that were told
	unread    []error // those that the cluster did not tell
	illegible []error // named ones whose bytes can not be decoded
}

// verdict is nil when all of s could be read. Bytes that can not be decoded
// are only an error in groups that were asked for by name.
func verdict(s *inspect.Snapshot, named []string) error {
	var r reading
	for i := range s.Groups {
		r.add(&s.Groups[i], slices.Contains(named, s.Groups[i].Name))
	}
	return r.verdict(s)
}

// verdict is the verdict on what was read of s.
func (r *reading) verdict(s *inspect.Snapshot) error {
	if s.Incomplete != nil {
		r.unread = append(r.unread, s.Incomplete)
	}
	switch {
	case len(r.illegible) > 0:
		return summed(exitCorrupt, r.illegible)
	case len(r.unread) == 0:
		return nil
	case r.read > 0:
		return summed(exitPartial, r.unread)
	case !slices.ContainsFunc(r.unread, func(err error) bool { return !errors.Is(err, gapstore.ErrDenied) }):
		return summed(exitDenied, r.unread)
	case !slices.ContainsFunc(r.unread, func(err error) bool { return !errors.Is(err, gapstore.ErrUnsupported) }):
		return summed(exitFailure, r.unread) // to try again would not help
	}
	return summed(exitUnavailable, r.unread)
}

// add takes in what of g could be read; named: it was asked for by name.
func (r *reading) add(g *inspect.Group, named bool) {
	if g.Err != nil {
		r.unread = append(r.unread, fmt.Errorf("group %s: %w", g.Name, g.Err))
		return
	}
	if len(g.Partitions) == 0 {
		r.read++
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		var undecoded *codec.Error
		switch {
		case p.Err == nil:
			r.read++
		case !errors.As(p.Err, &undecoded):
			r.unread = append(r.unread, fmt.Errorf("%s: %w", p.Key, p.Err))
		case named:
			r.illegible = append(r.illegible, fmt.Errorf("%s: %w", p.Key, p.Err))
		default:
			r.read++
		}
	}
}

// summed is the first of errs, and how many more there are.
func summed(code int, errs []error) error {
	hint := ""
	var store *gapstore.Error
	if errors.As(errs[0], &store) {
		hint = store.Hint
	}
	if len(errs) == 1 {
		return fail(code, hint, "%w", errs[0])
	}
	return fail(code, hint, "%w (and %d more)", errs[0], len(errs)-1)
}
