package repair

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// stood is what stands of one partition, in both homes.
type stood struct {
	gapstore.OffsetCommit
	native string // digest of the records; "" when there are none
}

// stood is c as it stands where it was written for that change.
func (c Commit) stood(of Change) stood {
	return stood{c.onWire(of.Target(), of.TopicID), digestRecords(c.Records)}
}

// conflict says how got is not what is wanted.
func (s stood) conflict(key gapstore.Key, got stood) error {
	if s.OffsetCommit == got.OffsetCommit {
		return fmt.Errorf("%s: %w: native records", key, gapstore.ErrConflict)
	}
	return &gapstore.ConflictError{Key: key, Want: s.OffsetCommit, Got: got.OffsetCommit}
}

func digestRecords(records []codec.Record) string {
	if len(records) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, r := range records {
		for _, part := range [][]byte{r.Key, r.Value} {
			sum.Write(binary.AppendUvarint(nil, uint64(len(part))))
			sum.Write(part)
		}
	}
	return string(sum.Sum(nil))
}

// read is what stands now under the hold, by partition. The topic's ID is only
// kept where the plan has one to compare with.
func (s *session) read(ctx context.Context) (map[gapstore.Key]stood, error) {
	got, err := s.hold.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	stands := make(map[gapstore.Key]stood, len(got))
	for _, o := range got {
		if o.Offset < 0 {
			o.LeaderEpoch, o.Metadata = -1, ""
		}
		stands[gapstore.Key{Group: s.plan.Group, Topic: o.Topic, Partition: o.Partition}] = stood{OffsetCommit: o}
	}
	for _, c := range s.plan.Changes {
		key := gapstore.Key{Group: s.plan.Group, Topic: c.Topic, Partition: c.Partition}
		if o, ok := stands[key]; ok && c.TopicID == [16]byte{} {
			o.TopicID = c.TopicID
			stands[key] = o
		}
	}
	if s.plan.mayBeNative() {
		err = s.addNative(ctx, stands)
	}
	return stands, err
}

// mayBeNative reports whether native records are, or could be, part of what the
// plan is about. Beside metadata they count for nothing.
func (p Plan) mayBeNative() bool {
	for _, c := range p.Changes {
		if c.Before.Metadata == "" || c.After.Metadata == "" || len(c.Before.Records)+len(c.After.Records) > 0 {
			return true
		}
	}
	return false
}

// addNative reads the native topic. Nobody else writes these records while the
// group is held, as their transactions can not commit its offsets.
func (s *session) addNative(ctx context.Context, stands map[gapstore.Key]stood) error {
	entries, err := s.load(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if now, ok := stands[e.Key]; ok {
			now.native = digestRecords(e.NativeRecords())
			stands[e.Key] = now
		}
	}
	return nil
}

// load reads the partitions of the plan, in both homes. A transaction that has
// just been made reaches one after the other: it waits until both have it.
func (s *session) load(ctx context.Context) ([]gapstore.Entry, error) {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(ctx, s.applier.settling())
	defer cancel()
	for {
		entries, err := s.loadOnce(ctx, store)
		i := slices.IndexFunc(entries, func(e gapstore.Entry) bool { return e.Pending })
		if err != nil || i < 0 {
			return entries, err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return nil, stillPending(entries[i])
		}
	}
}

func stillPending(e gapstore.Entry) error {
	return &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "read " + e.Key.String(),
		Err: errors.New("a transaction is still open that is about to change it")}
}

// loadOnce reads the partitions of the plan as they are now.
func (s *session) loadOnce(ctx context.Context, store *gapstore.Store) ([]gapstore.Entry, error) {
	parts := map[place]bool{}
	for _, c := range s.plan.Changes {
		parts[c.Target().place()] = true
	}
	loaded, _ := store.Load(ctx, []gapstore.Ref{{Group: s.plan.Group}}, func(topic string, partition int32) bool {
		return parts[place{topic, partition}]
	})
	if unseen := loaded[0].Unseen; unseen != nil && s.plan.mayBeNative() {
		return nil, fmt.Errorf("native commits can not be seen: %w", unseen)
	}
	return loaded[0].Entries, loaded[0].Err
}

// pollEvery is the pause before what an open transaction holds back is read
// again.
const pollEvery = 20 * time.Millisecond

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

// homeTimeout bounds the wait for a new topic: brokers learn of it one by one,
// and until then say that it is not there.
const homeTimeout = 10 * time.Second
