package repair

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

const nativeFormat = "native"

// nativeID is where the records of p are; whoever has a partition to itself
// uses slot 0.
func nativeID(group string, p *inspect.Partition) codec.NativeID {
	return codec.NativeID{Group: group, TopicID: p.TopicID, Partition: p.Partition}
}

// nativeID is where the native records of the change are.
func (c Change) nativeID(group string) codec.NativeID {
	return codec.NativeID{Group: group, TopicID: c.TopicID, Partition: c.Partition}
}

// current is the canonical state from which a consumer of p would go on.
func current(p *inspect.Partition) codec.State {
	if p.Home == gapstore.HomeNative {
		from, moved := p.Moved()
		return reconcile(p.State, p.Committed, moved && p.Committed < from).Normalize()
	}
	return p.State.Normalize()
}

// reconcile is what native records that say s mean beside Kafka's offset. It is
// written at once with slot 0: where these differ, somebody has moved the offset
// since, and a native consumer takes all below it for done, and, when it was
// moved back, nothing above.
func reconcile(s codec.State, committed int64, back bool) codec.State {
	switch {
	case back:
		return codec.Complete(committed)
	case committed > s.Stable:
		return stateOf(completed(s).Union(below(committed)))
	}
	return s
}

// with is c with what the native topic holds of its partition, which is what the
// commit means where it has no metadata.
func (c Commit) with(records []codec.Record) Commit {
	c.Records = records
	if len(records) == 0 || c.Metadata != "" {
		return c
	}
	c.Format, c.Encoding, c.anomalies = nativeFormat, "", nil
	e, err := foldNative(records)
	if err == nil {
		c.State, err = e.State()
	}
	if c.Err = err; err != nil {
		c.State = codec.State{}
		return c
	}
	if len(e.Slots) == 1 { // as written
		r, _ := e.Slots[0].Read()
		c.State = r.State
	}
	from, ok := e.Committed()
	c.State = reconcile(c.State, c.Offset, ok && c.Offset < from)
	return c
}

// beside is c and, beside its metadata, records of the native topic, which count
// for nothing there. Without metadata they would count, so c goes without them.
func (c Commit) beside(records []codec.Record) Commit {
	if c.Metadata != "" {
		c.Records = records
	}
	return c
}

// leftover is the records that the native topic holds beside p's metadata.
func leftover(p *inspect.Partition) []codec.Record {
	if p.Home == gapstore.HomeNative {
		return nil
	}
	return p.NativeRecords()
}

// foldNative reads the records of one partition of one group.
func foldNative(records []codec.Record) (codec.NativeEntry, error) {
	var fold codec.NativeFold
	for _, r := range records {
		if err := fold.Apply(r.Key, r.Value); err != nil {
			return codec.NativeEntry{}, err
		}
	}
	entries := slices.Collect(fold.All())
	if len(entries) != 1 {
		return codec.NativeEntry{}, fmt.Errorf("native records of %d partitions, want those of one", len(entries))
	}
	return entries[0], nil
}

// ownedBy is nil when the records of c are those of id, in any slot.
func (c Commit) ownedBy(id codec.NativeID) error {
	if len(c.Records) == 0 {
		return nil
	}
	e, err := foldNative(c.Records)
	if err == nil && (e.Group != id.Group || e.TopicID != id.TopicID || e.Partition != id.Partition) {
		err = errors.New("the native records are those of another partition")
	}
	return err
}

// nativeAt is the commit of p that says s in the native format, whose records
// are still to be [Commit.written].
func nativeAt(p *inspect.Partition, s codec.State) (Commit, error) {
	if p.TopicID == [16]byte{} {
		return Commit{}, errors.New("the native format goes by topic IDs, and the cluster tells none (Kafka has them since 2.8)")
	}
	c := commitAt(p, s.Stable, "")
	c.Format, c.State = nativeFormat, s
	return c, nil
}

// written is c with its records, where it is native and has none yet. Nobody
// knows the leader epoch of the last record, nor was there a generation.
func (c Commit) written(id codec.NativeID, at time.Time) (Commit, error) {
	if c.Format != nativeFormat || c.Records != nil {
		return c, nil
	}
	records, err := codec.EncodeNative(codec.NativeCommit{
		NativeID: id, State: c.State, NativeStamp: codec.NativeStamp{LeaderEpoch: -1, Generation: -1, Time: at.UnixMilli()},
	})
	if err != nil {
		return Commit{}, err
	}
	w := newCommit(c.Offset, c.LeaderEpoch, "").with(records)
	if w.Err == nil && !w.State.Equal(c.State) {
		w.Err = errors.New("other gaps come back")
	}
	if w.Err != nil {
		return Commit{}, fmt.Errorf("what would be written can not be read back: %w", w.Err)
	}
	return w, nil
}

// narrowed is c, which is native and was written by this repair, with the state
// s, whose gaps lie in its own. Only the chunks that change are made again.
func (c Commit) narrowed(id codec.NativeID, s codec.State, at time.Time) (Commit, error) {
	changed, err := codec.EncodeNative(codec.NativeCommit{
		NativeID: id, State: s, Prev: c.State, NativeStamp: codec.NativeStamp{LeaderEpoch: -1, Generation: -1, Time: at.UnixMilli()},
	})
	if err != nil {
		return Commit{}, err
	}
	after := Commit{Offset: s.Stable, LeaderEpoch: -1, Format: nativeFormat, State: s}
	if after.Offset == c.Offset {
		after.LeaderEpoch = c.LeaderEpoch
	}
	if after.Records, err = codec.OverlayNative(c.Records, changed); err != nil {
		return Commit{}, err
	}
	return after, nil
}

// tidy reports whether the native records of p are what a compaction leaves.
func tidy(p *inspect.Partition) bool {
	return p.Home == gapstore.HomeNative && p.Committed == p.State.Stable &&
		len(p.Slots) == 1 && p.Slots[0].Slot == 0 && len(p.Slots[0].Stale) == 0
}

// whyTidy says why p is not tidy, as far as nothing else does.
func whyTidy(p *inspect.Partition) []string {
	var parts []string
	if from, moved := p.Moved(); moved {
		parts = append(parts, fmt.Sprintf("the gaps follow the committed offset, which was moved from %d to %d", from, p.Committed))
	}
	if len(p.Slots) > 1 || p.Slots[0].Slot != 0 {
		parts = append(parts, "folds "+plural(int64(len(p.Slots)), "slot", "slots")+" into slot 0")
	}
	if slices.ContainsFunc(p.Slots, func(s gapstore.Slot) bool { return len(s.Stale) > 0 }) {
		parts = append(parts, "drops and rewrites chunks that are not as they should be")
	}
	return parts
}

// unseen is why a change from c to after may not be what it looks like; nil when
// it is. Without metadata native records count, and those of g could not be seen.
func (c Commit) unseen(g *inspect.Group, after Commit) error {
	if g.Unseen == nil || c.Metadata != "" && after.Metadata != "" {
		return nil
	}
	return fmt.Errorf("native commits would count for it, and can not be seen: this needs DESCRIBE on topic %s, and READ where it exists", codec.NativeTopic)
}

// goesNative reports whether commits become native that were not.
func (p Plan) goesNative() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool {
		return c.After.Format == nativeFormat && c.Before.Format != nativeFormat
	})
}

// size is how much of its limit the commit uses: characters of metadata, or
// bytes of the records' values.
func (c Commit) size() int64 {
	if c.Format != nativeFormat {
		return int64(codec.MetadataSize(c.Metadata))
	}
	size := 0
	for _, r := range c.Records {
		size += len(r.Value)
	}
	return int64(size)
}

func sameRecords(a, b []codec.Record) bool {
	return slices.EqualFunc(a, b, func(a, b codec.Record) bool {
		return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value)
	})
}
