package gapstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// partitionsPerCommit keeps the offsets of one transaction within one batch.
const partitionsPerCommit = 1000

// Commit commits what is done. Each partition's gaps and offset are committed
// together or not at all. After an error, what was not committed stays marked,
// and the next Commit includes it. The classes of an error are those of a
// [Hold.Commit]; [ErrLost] means that a rebalance came first.
//
// How often to commit is a matter of how much work to repeat after a kill: a
// commit takes a few milliseconds and costs what changed, so every second, or
// after a thousand records, is not too often.
func (c *Consumer) Commit(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return Classify("commit gaps of group "+c.group, ctx.Err())
	}
	defer func() { <-c.turn }()
	c.mu.RLock()
	now, parts := c.now, slices.Collect(maps.Values(c.parts))
	c.mu.RUnlock()
	return c.commit(ctx, c.client, now, parts)
}

// commit commits parts. The turn is taken.
func (c *Consumer) commit(ctx context.Context, cl *kgo.Client, now *session, parts []*tracked) error {
	ctx, cancel := context.WithTimeout(ctx, consumerCommit)
	defer cancel()
	if err := c.decide(ctx); err != nil {
		return err
	}
	if c.retry != nil {
		c.sortPairs(parts)
	}
	if now == nil {
		return c.commitAlone(ctx, cl, parts)
	}
	behind := c.follow(ctx, now, parts) // which is no reason not to commit
	for some := range slices.Chunk(parts, partitionsPerCommit) {
		if err := c.commitAs(ctx, now.member, some); err != nil {
			return err
		}
	}
	return behind
}

// commitAlone commits parts that are not shared. A member of a KIP-848 group
// may have been given a new epoch meanwhile; then the commit is made under
// that.
func (c *Consumer) commitAlone(ctx context.Context, cl *kgo.Client, parts []*tracked) error {
	for some := range slices.Chunk(parts, partitionsPerCommit) {
		member := c.membership(cl)
		err := c.commitAs(ctx, member, some)
		if now := c.membership(cl); isGone(err) && now != member && now.id == member.id {
			err = c.commitAs(ctx, now, some)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Consumer) membership(cl *kgo.Client) membership {
	id, generation := cl.GroupMetadata()
	return membership{group: c.group, id: id, instance: c.instance, generation: generation}
}

// commitAs makes one transaction of what has changed in parts.
func (c *Consumer) commitAs(ctx context.Context, member membership, parts []*tracked) error {
	op := "commit gaps of group " + c.group
	stamp := codec.NativeStamp{Generation: member.generation, Time: time.Now().UnixMilli()}
	drafts, records, err := c.draftAll(parts, stamp)
	var sent int64
	if err == nil && len(drafts) > 0 {
		sent, err = c.txn.commit(ctx, member, offsetsOf(drafts), records)
	}
	switch {
	case err == nil:
		settle(drafts)
	case inDoubt(err, sent) && slices.ContainsFunc(drafts, draft.hasResults):
		c.undecided = drafts
	default:
		giveBack(drafts)
	}
	return c.failure(op, err, sent)
}

// draftAll takes what has changed in parts, and is the records to write for it. With
// an error, the drafts are those taken before it.
func (c *Consumer) draftAll(parts []*tracked, stamp codec.NativeStamp) (drafts []draft, records []*kgo.Record, err error) {
	for _, t := range parts {
		d, changed, err := t.take(stamp)
		if err != nil {
			return drafts, nil, err
		}
		if !changed {
			continue
		}
		drafts = append(drafts, d)
		addressed, err := c.home.address(c.group, d.records)
		if err != nil {
			return drafts, nil, err
		}
		records = append(records, addressed...)
	}
	return drafts, append(records, resultsOf(drafts)...), nil
}

// offsetsOf are the offsets to commit, by topic: those of keepers.
func offsetsOf(drafts []draft) []topicCommits {
	var topics []topicCommits
	at := map[string]int{}
	for _, d := range drafts {
		if !d.from.share.keeper {
			continue
		}
		i, ok := at[d.commit.Topic]
		if !ok {
			i = len(topics)
			at[d.commit.Topic] = i
			topics = append(topics, topicCommits{topic: d.commit.Topic, id: d.commit.TopicID})
		}
		topics[i].offsets = append(topics[i].offsets, d.commit)
	}
	return topics
}

// failure is err with its class, after the end of a transaction was asked for
// sent times.
func (c *Consumer) failure(op string, err error, sent int64) error {
	switch {
	case err == nil:
		return nil
	case inDoubt(err, sent):
		return &Error{Class: ErrUnknownOutcome, Op: op, Hint: "the next commit settles it", Err: fmt.Errorf("%w: %w", ErrUnknownOutcome, err)}
	case isGone(err):
		return &Error{Class: ErrLost, Op: op, Hint: "the group rebalances; what was not committed is delivered again, or committed next time", Err: err}
	case isFenced(err):
		return &Error{Class: ErrFenced, Op: op, Hint: "another process has the same instance name, or the transaction took too long", Err: err}
	case errors.Is(err, ErrTooLarge):
		return err
	}
	return Classify(op, err)
}
