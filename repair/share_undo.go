package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/inspect"
)

// ShareUndo sets the start offset of a share group back to where it was before
// a [ShareReset]. The delivery state that this has wiped stays so.
type ShareUndo struct {
	Undo
}

// Name is "share-undo".
func (ShareUndo) Name() string { return "share-undo" }

// newShareUndo is u, or why there is no such thing.
func newShareUndo(u Undo) (shareOp, error) {
	switch done := u.Done.Op.(type) {
	case ShareReset, ShareUndo:
		return ShareUndo{u}, nil
	case ShareSkip:
		return nil, errors.New("what was skipped was accepted, and the broker takes no acknowledgement back; gapctl reset delivers again all from an offset on")
	case ShareReplay:
		return nil, fmt.Errorf("the replay has changed nothing in the group; %s stays there", done.destination())
	}
	return nil, fmt.Errorf("%s was no repair of a share group", u.Done.Op.Name())
}

func (u ShareUndo) proposeShare(_ *inspect.Group, p *inspect.Partition) (Change, error) {
	for _, c := range u.Done.Changes {
		now := shareCommitOf(p.Entry)
		switch {
		case c.Topic != p.Topic || c.Partition != p.Partition:
		case c.TopicID != p.TopicID:
			return Change{}, errors.New("the topic has been made anew since")
		case now.Offset == c.Before.Offset && now.Offset != c.After.Offset || now.same(c.Before):
			return Change{}, nil
		case !now.same(c.After):
			return Change{}, fmt.Errorf("it has moved since: the start is %s, and the repair left %s", now.startInWords(), c.After.startInWords())
		default:
			why := fmt.Sprintf("undoes %s %s: start %s again; lost for good: %s", u.Done.Title(), u.ID, c.Before.offsetText(), c.Before.deliveriesInWords())
			return changeShare(p, newCommit(c.Before.Offset, -1, ""), why), nil
		}
	}
	return Change{}, nil
}

// startInWords is the start offset, and whether records have been delivered.
func (c Commit) startInWords() string {
	if c.Metadata != "" {
		return c.offsetText() + " with deliveries"
	}
	return c.offsetText()
}

func (ShareUndo) run(ctx context.Context, s *session, todo []Change) error {
	return s.setStarts(ctx, todo)
}
