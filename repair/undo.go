package repair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/inspect"
)

// Undo goes back to what was before a repair, byte for byte, wherever what
// that repair left still stands.
type Undo struct {
	// ID is the repair's, as the journal has it.
	ID string `json:"id"`
	// Done is the repair's plan.
	Done Plan `json:"-"`
	// Left is what it may have left behind, where it was stopped half way.
	Left []Standing `json:"-"`
}

// Name is "undo".
func (Undo) Name() string { return "undo" }

// Targets are the partitions that the repair was to change.
func (u Undo) Targets() []Target {
	var targets []Target
	for _, c := range u.Done.Changes {
		targets = append(targets, c.Target())
	}
	return targets
}

// left reports whether now is what a batch of the repair has left.
func (u Undo) left(t Target, now Commit) bool {
	want := Standing{Topic: t.Topic, Partition: t.Partition, Digest: now.digest()}
	return slices.Contains(u.Left, want)
}

func (u Undo) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	now := commitOf(p)
	for _, c := range u.Done.Changes {
		switch {
		case c.Topic != p.Topic || c.Partition != p.Partition:
		case c.TopicID != p.TopicID:
			return proposal{}, errors.New("the topic has been made anew since")
		case together(u.Done.Op):
			return u.proposeOwn(c, now)
		case now.same(c.Before):
			return proposal{after: now}, nil
		case now.same(c.After):
			return proposal{c.Before, "undoes " + u.Done.Title() + " " + u.ID}, nil
		case u.left(c.Target(), now):
			done := now.completed().Sub(c.Before.completed()).Count()
			of := c.After.completed().Sub(c.Before.completed()).Count()
			return proposal{c.Before, fmt.Sprintf("undoes %s %s, which was stopped after %d of %d offsets", u.Done.Title(), u.ID, done, of)}, nil
		default:
			return proposal{}, fmt.Errorf("it has moved since: committed is %s, and the repair left %s", now.offsetText(), c.After.offsetText())
		}
	}
	return proposal{after: now}, nil
}

// proposeOwn undoes what one process of a replay together has left, where all
// that was written there since its plan is its own. What others have delivered
// would otherwise be outstanding again, and their journals know nothing of it.
func (u Undo) proposeOwn(c Change, now Commit) (proposal, error) {
	mine := slices.DeleteFunc(slices.Clone(u.Left), func(s Standing) bool { return s.Topic != c.Topic || s.Partition != c.Partition })
	if len(mine) == 0 || now.same(c.Before) {
		return proposal{after: now}, nil
	}
	last := mine[len(mine)-1]
	switch {
	case last.Digest != now.digest():
		return proposal{}, fmt.Errorf("it has moved since this process of the replay wrote it: committed is %s", now.offsetText())
	case last.Others:
		return proposal{}, errors.New("other processes of the replay have written there too, and what they delivered would be outstanding again")
	}
	return proposal{c.Before, fmt.Sprintf("undoes what this process of %s %s has done", u.Done.Title(), u.ID)}, nil
}
