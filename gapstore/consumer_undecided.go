package gapstore

import (
	"context"
	"fmt"
	"slices"
)

// decide finds out what became of a commit whose answer was lost, and that had
// results: to commit these again would write them twice. A new epoch of the
// producer ends the transaction, whichever way; then what it wrote of the gaps is
// there, or not, and with it all the rest.
func (c *Consumer) decide(ctx context.Context) error {
	at := slices.IndexFunc(c.undecided, draft.hasResults)
	if at < 0 {
		return nil
	}
	made, err := c.wasMade(ctx, c.undecided[at])
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
		return &Error{Class: ErrUnknownOutcome, Op: "find out what became of a commit of group " + c.group, Hint: "the next commit settles it", Err: err}
	}
	if made {
		settle(c.undecided)
	} else {
		giveBack(c.undecided)
	}
	c.undecided = nil
	return nil
}

// wasMade looks whether an offset is committed that was not before d.
func (c *Consumer) wasMade(ctx context.Context, d draft) (bool, error) {
	if err := c.txn.open(ctx); err != nil {
		c.txn.drop()
		return false, err
	}
	n, err := c.readGaps(ctx)
	if err != nil {
		return false, err
	}
	slot := n.log(c.group).fold.Slot(d.from.id)
	if slot == nil {
		return false, nil
	}
	set, _, err := slot.GapSet()
	if err != nil {
		return false, err
	}
	return set.Completed(d.results.of), nil
}
