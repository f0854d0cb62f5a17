package repair

import (
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/inspect"
)

// Undo goes back to what was before a repair, byte for byte, wherever what
// that repair left still stands.
type Undo struct {
	// ID is the repair's, as the journal has it.
	ID string `json:"id"`
	// Done is the repair's plan.
	Done Plan `json:"-"`
}

// Name is "undo".
func (Undo) Name() string { return "undo" }

func (u Undo) Targets() []Target {
	var targets []Target
	for _, c := range u.Done.Changes {
		targets = append(targets, c.Target())
	}
	return targets
}

func (u Undo) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	now := standing(p)
	for _, c := range u.Done.Changes {
		switch {
		case c.Topic != p.Topic || c.Partition != p.Partition:
		case c.TopicID != p.TopicID:
			return proposal{}, errors.New("the topic has been made anew since")
		case now.same(c.Before):
			return proposal{after: now}, nil
		case now.same(c.After):
			return proposal{c.Before, "undoes " + u.Done.Op.Name() + " " + u.ID}, nil
		default:
			return proposal{}, fmt.Errorf("it has moved since: committed is %d, and the repair left %d", now.Offset, c.After.Offset)
		}
	}
	return proposal{after: now}, nil
}
