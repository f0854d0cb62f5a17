package inspect

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// historySource is a log that keeps commits, and what makes commits of its
// records. Records come in order.
type historySource struct {
	log   gapstore.LogPlace
	wants func(key []byte) bool
	read  func(*kgo.Record) (Commit, bool)
}

// historySources are the logs that may hold commits of g.
func historySources(ctx context.Context, store *gapstore.Store, g *Group) ([]historySource, error) {
	if g.Type == "share" {
		return shareSources(ctx, store, g)
	}
	log, err := store.CommitLog(ctx, g.Name)
	if err != nil {
		return nil, historyFailure(TopicConsumerOffsets, err)
	}
	commits := commitHistory{tallies: map[place]*tally{}}
	sources := []historySource{{log, ownedBy(g.Name), commits.read}}
	if !slices.ContainsFunc(g.Partitions, func(p Partition) bool { return len(p.Slots) > 0 }) {
		return sources, nil
	}
	if log, err = store.NativeLog(ctx, g.Name); err != nil {
		return nil, historyFailure(codec.NativeTopic, err)
	}
	natives := nativeHistory{names: topicNames(g), folds: map[nativePlace]*nativeTally{}}
	mine := func(key []byte) bool {
		group, ok := codec.NativeOwner(key)
		return ok && string(group) == g.Name
	}
	return append(sources, historySource{log, mine, natives.read}), nil
}

func shareSources(ctx context.Context, store *gapstore.Store, g *Group) ([]historySource, error) {
	var logs []gapstore.LogPlace
	for i := range g.Partitions {
		p := &g.Partitions[i]
		log, err := store.ShareLog(ctx, codec.ShareKey{Group: g.Name, TopicID: p.TopicID, Partition: p.Partition})
		if err != nil {
			return nil, historyFailure(TopicShareGroupState, err)
		}
		logs = append(logs, log)
	}
	var sources []historySource
	for _, log := range sortLogs(logs) {
		shares := shareHistory{names: topicNames(g), folds: map[codec.ShareKey]*shareTally{}}
		sources = append(sources, historySource{log, ownedBy(g.Name), shares.read})
	}
	return sources, nil
}

// topicNames are the names of g's topics by ID.
func topicNames(g *Group) map[[16]byte]string {
	names := map[[16]byte]string{}
	for i := range g.Partitions {
		names[g.Partitions[i].TopicID] = g.Partitions[i].Topic
	}
	return names
}

func nameOf(names map[[16]byte]string, id [16]byte) string {
	if name, ok := names[id]; ok {
		return name
	}
	return string(topicIDText(id))
}

// commitHistory reads offset commits.
type commitHistory struct{ tallies map[place]*tally }

func (h *commitHistory) read(r *kgo.Record) (Commit, bool) {
	c, err := codec.DecodeOffsetCommit(r.Key, r.Value)
	if err != nil && c.Group == "" {
		if c, _ = codec.DecodeOffsetCommit(r.Key, nil); c.Group == "" {
			return Commit{}, false // the key is no commit's
		}
	}
	out := Commit{At: c.CommittedAt, Topic: c.Topic, Partition: c.Partition, Committed: c.Offset, Deleted: err == nil && c.Tombstone, Err: err}
	if out.At.IsZero() {
		out.At = r.Timestamp.UTC()
	}
	at := place{c.Topic, c.Partition}
	if h.tallies[at] == nil {
		h.tallies[at] = new(tally)
	}
	if c.Tombstone { // a value that can not be read leaves as little to tell
		out.Committed = gapstore.NoOffset
		h.tallies[at].take(&out, nil)
		return out, true
	}
	d, err := codec.Decode(c.Metadata, c.Offset)
	if out.Err = err; err != nil {
		h.tallies[at].take(&out, nil)
		return out, true
	}
	if out.Format, out.Encoding = d.Format, d.Encoding; d.Foreign {
		out.Format, out.Encoding = "", ""
	}
	h.tallies[at].take(&out, &d.State)
	return out, true
}

// shareTally is one share partition.
type shareTally struct {
	tally
	fold codec.ShareFold
}

// shareHistory reads the records of share groups: snapshots, and what changed
// since.
type shareHistory struct {
	names map[[16]byte]string
	folds map[codec.ShareKey]*shareTally
}

func (h *shareHistory) read(r *kgo.Record) (Commit, bool) {
	rec, err := codec.DecodeShareRecord(r.Key, r.Value)
	if err != nil && rec.Kind == "" {
		return Commit{}, false
	}
	t := h.folds[rec.Key]
	if t == nil {
		t = new(shareTally)
		h.folds[rec.Key] = t
	}
	out := Commit{
		At: r.Timestamp.UTC(), Topic: nameOf(h.names, rec.Key.TopicID), Partition: rec.Key.Partition, Committed: gapstore.NoOffset,
		Format: "share-group", Encoding: string(rec.Kind), Deleted: rec.Tombstone, Err: t.fold.Apply(r.Key, r.Value),
	}
	var state *codec.State
	for _, s := range t.fold.All() {
		if s.Err == nil && s.Initialized() {
			now := s.State()
			state, out.Committed = &now, s.StartOffset
		}
	}
	t.take(&out, state)
	return out, true
}

// nativeTally is one partition in the native topic, with all its slots.
type nativeTally struct {
	tally
	fold codec.NativeFold
}

// nativeHistory reads native commits. Chunks come first, and a head ends each.
type nativeHistory struct {
	names map[[16]byte]string
	folds map[nativePlace]*nativeTally
}

func (h *nativeHistory) read(r *kgo.Record) (Commit, bool) {
	rec, err := codec.DecodeNativeRecord(r.Key, r.Value)
	if err != nil && rec.Kind == "" {
		return Commit{}, false
	}
	at := nativePlace{rec.Group, rec.TopicID, rec.Partition}
	t := h.folds[at]
	if t == nil {
		t = new(nativeTally)
		h.folds[at] = t
	}
	err = t.fold.Apply(r.Key, r.Value)
	if rec.Kind != "head" && err == nil {
		return Commit{}, false
	}
	out := Commit{
		At: r.Timestamp.UTC(), Topic: nameOf(h.names, rec.TopicID), Partition: rec.Partition, Committed: gapstore.NoOffset,
		Format: nativeName, Deleted: rec.Tombstone, Err: err,
	}
	var state *codec.State
	for entry := range t.fold.All() {
		if now, err := entry.State(); err != nil {
			out.Err = err
		} else {
			state = &now
		}
	}
	t.take(&out, state)
	return out, true
}
