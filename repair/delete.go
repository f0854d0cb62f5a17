package repair

import (
	"context"

	"github.com/gapctl/gapctl/gapstore"
)

// delete deletes commits. A coordinator refuses that while the group has
// members that read the topic, and the hold is one: so it leaves first. What was
// compared under the hold can only have moved if a consumer has come and gone
// in that moment.
func (s *session) delete(ctx context.Context, changes []Change) error {
	if err := s.release(ctx); err != nil {
		s.result.setAll(changes, Failed, err)
		return err
	}
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		s.result.setAll(changes, Failed, err)
		return err
	}
	defer store.Close()
	var keys []gapstore.Key
	for _, c := range changes {
		keys = append(keys, s.key(c.Target()))
	}
	err = s.settle(ctx, changes, store.DeleteOffsets(ctx, s.plan.Group, keys))
	if noted := s.entry.note(writtenKind, s.applier.Now(), s.result.of(changes), err); err == nil {
		err = noted
	}
	return err
}
