package gapstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// OffsetCommit is the commit of one partition.
type OffsetCommit struct {
	Topic     string
	Partition int32
	// TopicID is the topic's ID. When it is set, a commit is refused if the
	// topic has been created anew since; zero means the topic that is there.
	TopicID [16]byte
	// Offset is the offset to commit: the next one to read. From Fetch it may
	// be NoOffset.
	Offset int64
	// LeaderEpoch is the leader epoch to commit, -1 for none.
	LeaderEpoch int32
	// Metadata is the text to commit beside the offset.
	Metadata string
}

// Commit is one change of a group's commits, made as a whole or not at all.
type Commit struct {
	// Offsets are the commits, one per partition, at least one.
	Offsets []OffsetCommit
	// Records are produced in the same transaction, in this order within a
	// partition. A record with a Partition of 0 or more goes there; with -1,
	// it goes where Kafka's producers send its key, and Partition then says where.
	Records []*kgo.Record
}

// Commit makes c: as one plain request without records, and with records as
// one transaction of them and the offsets. Both are guarded by the membership.
//
// When the error's class is [ErrUnknownOutcome], read back before doing
// anything else; after any other error nothing was written, except where
// [ErrPartial] says so. A commit that has begun ends on its own time: a
// context that ends makes it give up only until its last request is sent.
func (h *Hold) Commit(ctx context.Context, c Commit) error {
	if err := h.takeTurn(ctx); err != nil {
		return err
	}
	defer h.giveTurn()
	if err := h.usable(); err != nil {
		return err
	}
	topics, err := h.byTopic(c.Offsets)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.tenure.Load().work, cancel)()
	if len(c.Records) > 0 {
		return h.commitRecords(ctx, topics, c.Records)
	}
	return h.commitPlain(ctx, topics)
}

// takeTurn waits for the turn, unless ctx ends before.
func (h *Hold) takeTurn(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return h.failure("wait for the hold of group "+h.member.group, ctx.Err())
	}
}

func (h *Hold) giveTurn() { <-h.turn }

func (h *Hold) usable() error {
	if err := h.Err(); err != nil {
		return err
	}
	if h.left {
		return &Error{Class: ErrLost, Op: "hold group " + h.member.group, Err: errors.New("released")}
	}
	return nil
}

// commitPlain is one OffsetCommit request, which the coordinator stores as one
// batch of records.
func (h *Hold) commitPlain(ctx context.Context, topics []topicCommits) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = h.member.group, h.member.id, h.member.generation
	for _, t := range topics {
		rt := kmsg.NewOffsetCommitRequestTopic()
		rt.Topic, rt.TopicID = t.topic, t.id
		for _, o := range t.offsets {
			rp := kmsg.NewOffsetCommitRequestTopicPartition()
			rp.Partition, rp.Offset, rp.LeaderEpoch, rp.Metadata = o.Partition, o.Offset, o.LeaderEpoch, &o.Metadata
			rt.Partitions = append(rt.Partitions, rp)
		}
		req.Topics = append(req.Topics, rt)
	}
	before := h.sent.of(kmsg.OffsetCommit)
	resp, err := req.RequestWith(ctx, h.cl)
	sent := h.sent.since(before, kmsg.OffsetCommit, err)
	if err == nil {
		answers := newAnswers(h.member.group, topics)
		for _, rt := range resp.Topics {
			for _, rp := range rt.Partitions {
				answers.add(rt.Topic, rt.TopicID, rp.Partition, rp.ErrorCode)
			}
		}
		err = answers.err()
	}
	return h.outcome("commit offsets of group "+h.member.group, err, sent)
}

// outcome is err with its class, after a request that settles a commit was
// written sent times.
func (h *Hold) outcome(op string, err error, sent int64) error {
	if err == nil {
		return nil
	}
	if isGone(err) || isFenced(err) {
		h.lose(h.tenure.Load(), err)
		err = h.Err()
	}
	if inDoubt(err, sent) {
		return doubt(ErrUnknownOutcome, op, err)
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok && len(refused.Written) > 0 {
		return doubt(ErrPartial, op, err)
	}
	return h.failure(op, err)
}

func doubt(class error, op string, err error) error {
	return &Error{Class: class, Op: op, Hint: "read the offsets back under a new hold", Err: fmt.Errorf("%w: %w", class, err)}
}

// inDoubt reports whether a commit may have been made in spite of err, after the
// request that settles it was written sent times. Only an answer to the first and
// only writing is proof that nothing was done: an earlier one may have been acted
// upon.
func inDoubt(err error, sent int64) bool { return sent > 1 || sent == 1 && !isAnswer(err) }

// isAnswer reports whether the broker itself said that it did nothing. An
// unknown server error says nothing about what was done before it.
func isAnswer(err error) bool {
	_, ok := errors.AsType[*kerr.Error](err)
	return ok && !anyOf(err, kerr.UnknownServerError, kerr.RequestTimedOut)
}

// topicCommits are the offsets to commit in one topic.
type topicCommits struct {
	topic   string
	id      [16]byte
	offsets []OffsetCommit
}

// byTopic checks the offsets and groups them by topic, in the order given.
func (h *Hold) byTopic(offsets []OffsetCommit) ([]topicCommits, error) {
	if len(offsets) == 0 {
		return nil, fmt.Errorf("commit of group %s: no offsets to commit", h.member.group)
	}
	var topics []topicCommits
	at := map[string]int{}
	seen := map[Key]bool{}
	for _, o := range offsets {
		key := Key{h.member.group, o.Topic, o.Partition}
		if err := h.committable(key, o); err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("commit %s: given twice", key)
		}
		seen[key] = true
		i, ok := at[o.Topic]
		if !ok {
			i = len(topics)
			at[o.Topic] = i
			topics = append(topics, topicCommits{topic: o.Topic, id: h.topicIDs[o.Topic]})
		}
		topics[i].offsets = append(topics[i].offsets, o)
	}
	return topics, h.limits.checkBatch(h.member.group, offsets)
}

// committable checks one commit. Brokers refuse such commits for the partition
// alone and make the others: so they must not get there.
func (h *Hold) committable(key Key, o OffsetCommit) error {
	switch id := h.topicIDs[o.Topic]; {
	case !h.covers(o.Topic, o.Partition):
		return fmt.Errorf("commit %s: the hold does not cover it", key)
	case o.Offset < 0:
		return fmt.Errorf("commit %s: offset %d is negative", key, o.Offset)
	case o.TopicID != [16]byte{} && o.TopicID != id:
		now := o
		now.TopicID = id
		return &ConflictError{Key: key, Want: o, Got: now}
	}
	return h.limits.checkMetadata(key, o.Metadata)
}
