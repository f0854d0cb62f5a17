package cmd

import (
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// showResult prints what became of a plan, and judges it. What was done is said
// also where it can not be printed.
func (a *app) showResult(print func(inspect.View) error, result repair.Result) error {
	printed, judged := print(result), judgeResult(result)
	switch {
	case printed == nil || judged != nil:
		return judged
	case result.ID == "":
		return printed
	}
	return fail(exitFailure, "gapctl undo "+result.ID+" goes back to what was before", "the plan is carried out, but the result can not be printed: %w", printed)
}

// refused makes err the error of something that would not be safe.
func refused(err error) error {
	if errors.Is(err, repair.ErrRefused) || errors.Is(err, gapstore.ErrGroupActive) {
		hint := ""
		if store, ok := errors.AsType[*gapstore.Error](err); ok && errors.Is(err, gapstore.ErrUnsupported) {
			hint = store.Hint
		}
		if active, ok := errors.AsType[*gapstore.ActiveError](err); ok && gapstore.Together(active.Members) {
			hint = "these are replays: another one joins them with --together"
		} else if errors.Is(err, gapstore.ErrGroupActive) {
			hint = "stop its consumers first: what they have in hand would be lost, and they would overwrite what is written"
		}
		return fail(exitRefused, hint, "%w", err)
	}
	return err
}

// judgeResult is nil when all of the plan stands, and otherwise decides how
// the process ends.
func judgeResult(r repair.Result) error {
	err, hint := r.Err, ""
	done := r.Count(repair.Applied)
	for _, o := range r.Outcomes {
		if err == nil && o.Err != nil {
			err = fmt.Errorf("%s: %w", o.Target(), o.Err)
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, repair.ErrIncomplete) && r.Copied() > 0:
		return fail(exitPartial, "run it again for what is left", "%w", err)
	case r.Count(repair.Unverified) > 0:
		return fail(exitUnverified, inspect.Command("describe", r.Group)+" shows what stands", "%w", err)
	case done == 0 && r.Copied() > 0:
		return fail(exitPartial, "", "%w", err)
	case done > 0 && done+r.Count(repair.Unchanged) < len(r.Outcomes):
		return fail(exitPartial, "", "%d of %d commits changed: %w", done, len(r.Outcomes), err)
	case errors.Is(err, gapstore.ErrConflict):
		return fail(exitConflict, "nothing was written; plan again", "%w", err)
	case errors.Is(err, repair.ErrJournal):
		hint = "set XDG_STATE_HOME to a directory that can be written"
		return fail(exitFailure, hint, "%w", err)
	case r.Count(repair.Refused) > 0:
		if again := refused(err); again != err {
			return again
		}
		return fail(exitRefused, hint, "%w", err)
	case errors.Is(err, errReaderGone): // it was to get records, so this is no matter of course
		return fail(exitFailure, "", "%w", err)
	}
	return err
}
