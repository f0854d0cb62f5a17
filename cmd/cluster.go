package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// followUp goes on with what was gathered, within the time limit: it asks the
// store for what only one command needs, and adds it to s.
type followUp func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error

// gather connects, reads what q asks for, and says on standard error what
// could not be seen. A group of q that does not exist is an error, after the
// others are read.
func (a *app) gather(ctx context.Context, c *connection, q inspect.Query) (inspect.Snapshot, error) {
	return a.gatherMore(ctx, c, q, nil)
}

// gatherMore is gather, followed by more, unless that is nil.
func (a *app) gatherMore(ctx context.Context, c *connection, q inspect.Query, more followUp) (inspect.Snapshot, error) {
	store, s, err := a.gatherOpen(ctx, c, q, more)
	if store != nil {
		store.Close()
	}
	return s, err
}

// gatherOpen is gatherMore, and leaves the store, unless it is nil, open for
// the caller, who is then bound by no time limit.
func (a *app) gatherOpen(ctx context.Context, c *connection, q inspect.Query, more followUp) (*gapstore.Store, inspect.Snapshot, error) {
	return a.readOpen(ctx, c, q, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error {
		err := a.checkFound(ctx, store, s)
		if err == nil && more != nil {
			if err = more(ctx, store, s); err != nil {
				err = causeOf(ctx, err)
			}
		}
		if interrupted(ctx) {
			*s = inspect.Snapshot{}
			return errInterrupted
		}
		for _, notice := range s.Notices {
			a.say(notice)
		}
		if slices.ContainsFunc(s.Groups, func(g inspect.Group) bool { return mayBeHidden(&g) }) {
			a.sayHidden()
		}
		return err
	})
}

// readOpen connects, reads what q asks for, and calls then. The store, unless it
// is nil, is left open.
func (a *app) readOpen(ctx context.Context, c *connection, q inspect.Query, then followUp) (*gapstore.Store, inspect.Snapshot, error) {
	dial, err := a.dial(ctx, c)
	if err != nil {
		return nil, inspect.Snapshot{}, err
	}
	ctx, cancel, err := a.limited(ctx, c)
	if err != nil {
		return nil, inspect.Snapshot{}, err
	}
	defer cancel()
	store, err := gapstore.Open(ctx, dial)
	if err != nil {
		return nil, inspect.Snapshot{}, causeOf(ctx, err)
	}
	q.Waiting = a.sayWaiting
	s, err := gatherFrom(ctx, store, q)
	if err != nil {
		return store, inspect.Snapshot{}, err
	}
	s.TakenAt = a.now()
	err = then(ctx, store, &s)
	return store, s, err
}

// sayWaiting says at a terminal what the silence is for. Elsewhere nobody waits,
// and what is missing in the end is said then.
func (a *app) sayWaiting(why error, most time.Duration) {
	if a.watched() {
		a.sayNow(fmt.Sprintf("%v; asking again for up to %s, which --timeout bounds", why, inspect.Spell(most)))
	}
}

// gatherFrom is [inspect.Gather], and errInterrupted after a signal: what that
// kept from being read would pass for unreadable otherwise.
func gatherFrom(ctx context.Context, store *gapstore.Store, q inspect.Query) (inspect.Snapshot, error) {
	s, err := inspect.Gather(ctx, store, q)
	switch {
	case err != nil:
		return s, causeOf(ctx, err)
	case interrupted(ctx):
		return s, errInterrupted
	}
	return s, nil
}

// interrupted reports whether a signal has ended ctx.
func interrupted(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errInterrupted) }

// causeOf is why ctx has ended, which says more than the call that noticed;
// otherwise err.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// checkFound takes groups that do not exist out of s; they are the error.
func (a *app) checkFound(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error {
	var found []inspect.Group
	missing := ""
	for _, g := range s.Groups {
		switch {
		case !errors.Is(g.Err, gapstore.ErrNotFound):
			found = append(found, g)
		case missing == "":
			missing = g.Name
		}
	}
	if missing == "" {
		return nil
	}
	s.Groups = found
	hint := "gapctl list --all shows the groups"
	if like := inspect.SimilarGroup(ctx, store, missing); like != "" {
		hint = fmt.Sprintf("did you mean %s? gapctl list --all shows the groups", like)
	}
	return fail(exitFailure, hint, "%w", missingGroup(missing))
}

// missingGroup is the error of a group that does not exist, by its name.
type missingGroup string

func (g missingGroup) Error() string { return "no group " + string(g) }

// Is makes it what the store calls not found.
func (g missingGroup) Is(target error) bool { return target == gapstore.ErrNotFound }

// show prints v, if anything was found, and then is the worst of the error of
// gathering and the verdict on what was gathered.
func (a *app) show(print func(inspect.View) error, v inspect.View, s inspect.Snapshot, named []string, gathered error) error {
	if len(s.Groups) > 0 || gathered == nil {
		if err := print(v); err != nil {
			return err
		}
	}
	if gathered != nil {
		return gathered
	}
	return verdict(&s, named)
}
