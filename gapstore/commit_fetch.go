package gapstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stableTimeout is how long a read waits for an open transaction of somebody
// else that holds commits of this group.
const stableTimeout = time.Minute

// Fetch reads the commits of the partitions that the hold covers, sorted by
// topic and partition; where there is none, the offset is NoOffset. It waits
// for transactions under way, and ends one that an earlier hold left behind.
// It also works after the hold is lost, though then nothing guards what it says.
func (h *Hold) Fetch(ctx context.Context) ([]OffsetCommit, error) {
	if err := h.takeTurn(ctx); err != nil {
		return nil, err
	}
	defer h.giveTurn()
	ctx, cancel := context.WithTimeout(ctx, stableTimeout)
	defer cancel()
	op := "read commits of group " + h.member.group
	got, err := h.fetch(ctx)
	if errors.Is(err, kerr.UnstableOffsetCommit) {
		if err := h.endOlder(ctx); err != nil {
			return nil, h.outcome(op, err, 0)
		}
		err = retry(ctx, func() (err error) {
			got, err = h.fetch(ctx)
			return err
		})
	}
	if err != nil {
		return nil, h.outcome(op, err, 0)
	}
	return got, nil
}

// endOlder ends transactions that earlier holds have left open, by taking a new
// epoch. One of somebody else ends by itself, or times out.
func (h *Hold) endOlder(ctx context.Context) error {
	if h.usable() != nil {
		return nil
	}
	if there, err := look(ctx, h.cl, h.versions, h.member.group); err == nil {
		_ = h.endDeparted(ctx, there) // or they time out
	}
	err := h.txn.open(ctx)
	if err == nil {
		return nil
	}
	h.txn.drop()
	if errors.Is(err, kerr.TransactionalIDAuthorizationFailed) {
		return nil // so it can't be ours
	}
	return err
}

// EndOlder ends the transactions that earlier holds have left open, as
// [Hold.Fetch] does where they hold back what it is to read.
func (h *Hold) EndOlder(ctx context.Context) error {
	if err := h.takeTurn(ctx); err != nil {
		return err
	}
	defer h.giveTurn()
	return h.outcome("end open transactions of group "+h.member.group, h.endOlder(ctx), 0)
}

// fetch is one OffsetFetch request.
func (h *Hold) fetch(ctx context.Context) ([]OffsetCommit, error) {
	if len(h.member.parts) == 0 { // to ask for none is to ask for all
		return nil, nil
	}
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true // KIP-447
	rg := kmsg.NewOffsetFetchRequestGroup()
	rg.Group = h.member.group
	if h.usable() == nil {
		rg.MemberID, rg.MemberEpoch = &h.member.id, h.member.generation
	}
	topics := slices.Sorted(maps.Keys(h.member.parts))
	for _, topic := range topics {
		rt := kmsg.NewOffsetFetchRequestGroupTopic()
		rt.Topic, rt.TopicID, rt.Partitions = topic, h.topicIDs[topic], h.member.parts[topic]
		rg.Topics = append(rg.Topics, rt)
	}
	req.Groups = append(req.Groups, rg)
	resp, err := req.RequestWith(ctx, h.cl)
	if err != nil {
		return nil, err
	}
	found := map[Key]OffsetCommit{}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, err
		}
		for _, t := range g.Topics {
			if err := h.gather(found, t); err != nil {
				return nil, err
			}
		}
	}
	return h.inOrder(topics, found), nil
}

func (h *Hold) gather(found map[Key]OffsetCommit, t kmsg.OffsetFetchResponseGroupTopic) error {
	topic := t.Topic
	for name, id := range h.topicIDs {
		if topic == "" && id == t.TopicID {
			topic = name
		}
	}
	for _, p := range t.Partitions {
		key := Key{h.member.group, topic, p.Partition}
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		found[key] = OffsetCommit{Topic: topic, Partition: p.Partition, TopicID: h.topicIDs[topic],
			Offset: p.Offset, LeaderEpoch: p.LeaderEpoch, Metadata: deref(p.Metadata)}
	}
	return nil
}

func (h *Hold) inOrder(topics []string, found map[Key]OffsetCommit) []OffsetCommit {
	var out []OffsetCommit
	for _, topic := range topics {
		for _, partition := range h.member.parts[topic] {
			o, ok := found[Key{h.member.group, topic, partition}]
			if !ok {
				o = OffsetCommit{Topic: topic, Partition: partition, TopicID: h.topicIDs[topic], Offset: NoOffset, LeaderEpoch: -1}
			}
			out = append(out, o)
		}
	}
	return out
}

// Check reads the commits and compares those of want with them. The first that
// differs is a [*ConflictError]. A zero TopicID in want stands for any.
func (h *Hold) Check(ctx context.Context, want []OffsetCommit) error {
	got, err := h.Fetch(ctx)
	if err != nil {
		return err
	}
	have := make(map[Key]OffsetCommit, len(got))
	for _, o := range got {
		have[Key{h.member.group, o.Topic, o.Partition}] = o
	}
	for _, w := range want {
		key := Key{h.member.group, w.Topic, w.Partition}
		g, ok := have[key]
		if !ok {
			return fmt.Errorf("check %s: the hold does not cover it", key)
		}
		if w.TopicID == ([16]byte{}) {
			w.TopicID = g.TopicID
		}
		if w != g {
			return &ConflictError{Key: key, Want: w, Got: g}
		}
	}
	return nil
}
