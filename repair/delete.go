package repair

import (
	"context"
	"fmt"

	"github.com/gapctl/gapctl/gapstore"
)

// write makes todo: commits under the hold, and then deletions.
func (s *session) write(ctx context.Context, todo []Change) error {
	var commits, deletions []Change
	for _, c := range todo {
		if c.After.none() {
			deletions = append(deletions, c)
		} else {
			commits = append(commits, c)
		}
	}
	if len(commits) > 0 {
		if err := s.commit(ctx, commits); err != nil {
			return err
		}
	}
	if len(deletions) == 0 {
		return nil
	}
	return s.delete(ctx, deletions)
}

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
		keys = append(keys, gapstore.Key{Group: s.plan.Group, Topic: c.Topic, Partition: c.Partition})
	}
	err = s.settle(ctx, changes, store.DeleteOffsets(ctx, s.plan.Group, keys))
	if noted := s.record.note(writtenKind, s.applier.Now(), s.result.of(changes), err); err == nil {
		err = noted
	}
	return err
}

// verifiedOffset is what stands, in words.
func verifiedOffset(offset int64) string {
	if offset < 0 {
		return "nothing is committed now"
	}
	return fmt.Sprintf("offset %d is there now", offset)
}
