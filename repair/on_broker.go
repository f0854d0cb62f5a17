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

// onBroker is what is committed for one partition, in both homes, in a form that
// can be compared.
type onBroker struct {
	gapstore.OffsetCommit
	native string // digest of the records; "" when there are none
}

// onBroker is c as it is found where it was written for that change.
func (c Commit) onBroker(of Change) onBroker {
	return onBroker{c.onWire(of.Target(), of.TopicID), digestRecords(c.Records)}
}

// conflict says how got is not what is wanted.
func (s onBroker) conflict(key gapstore.Key, got onBroker) error {
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
func (s *session) read(ctx context.Context) (map[gapstore.Key]onBroker, error) {
	got, err := s.hold.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	current := make(map[gapstore.Key]onBroker, len(got))
	for _, o := range got {
		if o.Offset < 0 {
			o.LeaderEpoch, o.Metadata = -1, ""
		}
		current[s.key(Target{Topic: o.Topic, Partition: o.Partition})] = onBroker{OffsetCommit: o}
	}
	for _, c := range s.plan.Changes {
		key := s.key(c.Target())
		if o, ok := current[key]; ok && c.TopicID == [16]byte{} {
			o.TopicID = c.TopicID
			current[key] = o
		}
	}
	if s.plan.mayBeNative() {
		err = s.addNative(ctx, current)
	}
	return current, err
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
func (s *session) addNative(ctx context.Context, current map[gapstore.Key]onBroker) error {
	entries, err := s.load(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if now, ok := current[e.Key]; ok {
			now.native = digestRecords(e.NativeRecords())
			current[e.Key] = now
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
