package inspect

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// past is the meaning of a partition's latest commit so far; nil when not known.
type past struct{ state *codec.State }

// next completes c, of which state (nil: not known) is the meaning, by what it
// changed.
func (p *past) next(c *Commit, state *codec.State) {
	if state != nil {
		c.Known, c.Stable, c.Max = true, state.Stable, state.Max
		c.GapCount, c.Outstanding = state.Gaps.Len(), state.Outstanding()
		if p.state != nil {
			c.Compared = true
			c.compare(p.state, state)
		}
	}
	p.state = state
}

func (c *Commit) compare(before, now *codec.State) {
	c.Closed = newMoved(before.Gaps.Clip(codec.Range{Start: 0, End: now.Max}).Sub(now.Gaps))
	c.Opened = newMoved(now.Gaps.Sub(before.Gaps))
	open := now.Gaps.Union(span(now.Max, before.Max)).Clip(codec.Range{Start: 0, End: before.Max})
	c.Undone = newMoved(open.Sub(before.Gaps)) // all below before.Max was done but its gaps
}

// commitHistory reads offset commits.
type commitHistory struct{ pasts map[place]*past }

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
	before := h.pasts[at]
	if before == nil {
		before = new(past)
		h.pasts[at] = before
	}
	if c.Tombstone { // a value that can not be read leaves as little to tell
		out.Committed = gapstore.NoOffset
		before.next(&out, nil)
		return out, true
	}
	d, err := codec.Decode(c.Metadata, c.Offset)
	if out.Err = err; err != nil {
		before.next(&out, nil)
		return out, true
	}
	if out.Format, out.Encoding = d.Format, d.Encoding; d.Foreign {
		out.Format, out.Encoding = "", ""
	}
	before.next(&out, &d.State)
	return out, true
}

// sharePast is a share partition as of the records so far.
type sharePast struct {
	past
	fold codec.ShareFold
}

// shareHistory reads the records of share groups: snapshots, and what changed
// since.
type shareHistory struct {
	names map[[16]byte]string
	pasts map[codec.ShareKey]*sharePast
}

func (h *shareHistory) read(r *kgo.Record) (Commit, bool) {
	rec, err := codec.DecodeShareRecord(r.Key, r.Value)
	if err != nil && rec.Kind == "" {
		return Commit{}, false
	}
	before := h.pasts[rec.Key]
	if before == nil {
		before = new(sharePast)
		h.pasts[rec.Key] = before
	}
	out := Commit{
		At: r.Timestamp.UTC(), Topic: nameOf(h.names, rec.Key.TopicID), Partition: rec.Key.Partition, Committed: gapstore.NoOffset,
		Format: "share-group", Encoding: string(rec.Kind), Deleted: rec.Tombstone, Err: before.fold.Apply(r.Key, r.Value),
	}
	var state *codec.State
	for _, s := range before.fold.All() {
		if s.Err == nil && s.Initialized() {
			now := s.State()
			state, out.Committed = &now, s.StartOffset
		}
	}
	before.next(&out, state)
	return out, true
}

// nativePast is a partition in the native topic, with all its slots, as of the
// records so far.
type nativePast struct {
	past
	fold codec.NativeFold
}

// nativeHistory reads native commits. Chunks come first, and a head ends each.
type nativeHistory struct {
	names map[[16]byte]string
	pasts map[nativePlace]*nativePast
}

func (h *nativeHistory) read(r *kgo.Record) (Commit, bool) {
	rec, err := codec.DecodeNativeRecord(r.Key, r.Value)
	if err != nil && rec.Kind == "" {
		return Commit{}, false
	}
	at := nativePlace{rec.Group, rec.TopicID, rec.Partition}
	before := h.pasts[at]
	if before == nil {
		before = new(nativePast)
		h.pasts[at] = before
	}
	err = before.fold.Apply(r.Key, r.Value)
	if rec.Kind != "head" && err == nil {
		return Commit{}, false
	}
	out := Commit{
		At: r.Timestamp.UTC(), Topic: nameOf(h.names, rec.TopicID), Partition: rec.Partition, Committed: gapstore.NoOffset,
		Format: nativeName, Deleted: rec.Tombstone, Err: err,
	}
	var state *codec.State
	for entry := range before.fold.All() {
		if now, err := entry.State(); err != nil {
			out.Err = err
		} else {
			state = &now
		}
	}
	before.next(&out, state)
	return out, true
}

func nameOf(names map[[16]byte]string, id [16]byte) string {
	if name, ok := names[id]; ok {
		return name
	}
	return string(topicIDText(id))
}
