package repair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// homeTimeout bounds the wait for a new topic: brokers learn of it one by one,
// and until then say that it is not there.
const homeTimeout = 10 * time.Second

// stage is the changes as one commit: the offsets, and what changes in the
// native topic, which is made first where there is none.
func (s *session) stage(ctx context.Context, changes []Change) (gapstore.Commit, error) {
	var commit gapstore.Commit
	for _, c := range changes {
		commit.Offsets = append(commit.Offsets, c.after())
		if sameRecords(c.Before.Records, c.After.Records) {
			continue
		}
		if err := s.ensureHome(ctx); err != nil {
			return gapstore.Commit{}, err
		}
		records, err := s.home.Replace(s.plan.Group, c.Before.Records, c.After.Records)
		if err != nil {
			return gapstore.Commit{}, fmt.Errorf("%s: %w", c.Target(), err)
		}
		commit.Records = append(commit.Records, records...)
	}
	return commit, nil
}

// ensureHome finds the native topic, or makes it.
func (s *session) ensureHome(ctx context.Context) error {
	if s.home != nil {
		return nil
	}
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(ctx, homeTimeout)
	defer cancel()
	for {
		home, err := store.Ensure(ctx, gapstore.NativeOptions{})
		if err == nil {
			s.home = &home
			return nil
		}
		if !errors.Is(err, gapstore.ErrUnavailable) && !errors.Is(err, gapstore.ErrNotFound) {
			return err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return err
		}
	}
}
