package gapstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Consumer is a member of a consumer group that commits record by record, in
// any order, without a limit on the gaps in between.
//
// [Consumer.Poll] gives records, [Consumer.Done] marks those that are processed,
// from any goroutine, and [Consumer.Commit] commits what is marked: the changed
// gaps and the group's offset, in one transaction, under the member's own
// generation. A process that is killed resumes at the stable offset, and none
// of the records whose commit was made is delivered again. Neither are they to
// whoever the partition goes to in a rebalance: before a partition is given up,
// what is done is committed. If the member has lost it, what is not committed
// is delivered again.
//
// Nothing bounds how far the work runs ahead of a stuck record, nor need it:
// gaps are cheap. What is bounded by the caller is the records in hand: take no
// more of them from Poll than there are workers free.
//
// # Consuming together
//
// With [ByKey] or [ByBlock] members share partitions, so that there may be more
// of them than partitions. Each gets some of a partition's records and commits
// what it has done to a slot of its own; what is committed is the union. One
// member of each partition, its keeper, moves the group's offset after the
// union, on its own commits. All that is said above holds for each record,
// whichever member had it and whichever gets it next: none is lost, and none
// whose commit was made comes again. With ByKey the records
// of one key go to one member at a time, in their order: a rebalance waits for
// the records in hand, up to [ConsumerOptions.Drain]. Records that are still in
// hand after that, or in the hands of a member that the group has given up for
// dead, are delivered to the key's next member too.
//
// A member reads all of each partition that it has a part of, and keeps its
// part: that is what sharing without the broker's help takes. Partitions are
// divided so that it has a part of as few as possible.
type Consumer struct {
	group    string
	instance *string
	sharing  Sharing
	drain    time.Duration
	closing  atomic.Bool
	store    *Store
	home     NativeHome
	client   *kgo.Client

	turn chan struct{} // has room for whoever commits
	txn  *transactor   // guarded by turn

	mu     sync.RWMutex
	parts  map[place]*tracked
	given  assignment // by the group, last; where partitions are shared
	now    *session   // nil where they are not, and before the group has given any
	failed []error    // of partitions that can not be consumed; Poll tells them
	wake   context.CancelFunc
}

const (
	// consumerCommit bounds a commit, because a rebalance waits for it.
	consumerCommit = 15 * time.Second
	// consumerTransaction is how long others wait for a killed member.
	consumerTransaction = 20 * time.Second
	// consumerDrain is how long a rebalance waits for records in hand.
	consumerDrain = 10 * time.Second
)

// NewConsumer joins the group. It creates the native topic where there is none
// and refuses one that is not fit ([Store.Ensure]). ctx bounds this call only.
// Every Consumer must be closed.
func NewConsumer(ctx context.Context, dial Dial, o ConsumerOptions) (*Consumer, error) {
	if o.Group == "" || len(o.Topics) == 0 {
		return nil, errors.New("consumer: no group, or no topics")
	}
	if o.Sharing < Whole || o.Sharing > ByBlock {
		return nil, fmt.Errorf("consumer: no such sharing: %d", int(o.Sharing))
	}
	store, err := Open(ctx, dial)
	if err != nil {
		return nil, err
	}
	c := &Consumer{group: o.Group, sharing: o.Sharing, drain: o.Drain, store: store, turn: make(chan struct{}, 1), parts: map[place]*tracked{}}
	if o.Drain == 0 && o.Sharing != Whole {
		c.drain = consumerDrain
	}
	if err := c.join(ctx, dial, o); err != nil {
		c.shut()
		return nil, err
	}
	return c, nil
}

func (c *Consumer) join(ctx context.Context, dial Dial, o ConsumerOptions) (err error) {
	if c.home, err = c.ensure(ctx, o.Native); err != nil {
		return err
	}
	if o.Instance != "" {
		c.instance = &o.Instance
	}
	op := "join group " + o.Group
	if c.txn, err = c.newTransactor(dial); err != nil {
		return Classify(op, err)
	}
	// A transaction that an earlier process of this name has left is ended now,
	// so that nobody waits for it.
	if err := c.txn.open(ctx); err != nil {
		return c.failure(op, err, 0)
	}
	c.client, err = dial(slices.Concat(o.Client, c.clientOpts(o))...)
	return Classify(op, err)
}

// Poll waits for records that are not done, and returns at most limit of them
// (all at hand where limit is 0). An error does not end the consumer, unless it
// is ctx's, or kgo.ErrClientClosed; there may be records beside it. One
// goroutine polls.
//
// [ErrLost] says that the group no longer counted this member, because it was
// silent for too long, say, or its coordinator moved. It joins again by itself;
// what it had done and not committed is delivered again, to it or to another.
//
// A partition whose gaps can not be read is not consumed, and the error is a
// *codec.Error: to guess would be to lose records.
func (c *Consumer) Poll(ctx context.Context, limit int) ([]*kgo.Record, error) {
	for {
		poll, stop := context.WithCancel(ctx)
		if err := c.failures(stop); err != nil {
			stop()
			return nil, err
		}
		fetches := c.client.PollRecords(poll, limit)
		woken := poll.Err() != nil && ctx.Err() == nil
		stop()
		records, err := c.sift(fetches, woken)
		c.client.AllowRebalance()
		if len(records) > 0 || err != nil {
			return records, err
		}
	}
}

// failures takes what is to be told, and notes how to wake the poll.
func (c *Consumer) failures(wake context.CancelFunc) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake = wake
	err := errors.Join(c.failed...)
	c.failed = nil
	return err
}

// sift keeps the records that are to be processed.
func (c *Consumer) sift(fetches kgo.Fetches, woken bool) (records []*kgo.Record, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		t := c.parts[place{p.Topic, p.Partition}]
		for _, r := range p.Records {
			if t != nil && t.deliver(r) {
				records = append(records, r)
			}
		}
	})
	fetches.EachError(func(topic string, partition int32, failed error) {
		if !woken || !errors.Is(failed, context.Canceled) {
			err = errors.Join(err, c.failure("poll group "+c.group, failed, 0))
		}
	})
	return records, err
}

// Done marks records as done. They are committed by the next [Consumer.Commit].
// It is safe for concurrent use, at a cost that does not grow with the number
// of gaps; many records of one partition in a row cost less than one by one.
// Records of partitions that this member no longer has are ignored.
func (c *Consumer) Done(records ...*kgo.Record) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for len(records) > 0 {
		first, n := records[0], 1
		for n < len(records) && records[n].Partition == first.Partition && records[n].Topic == first.Topic {
			n++
		}
		if t := c.parts[place{first.Topic, first.Partition}]; t != nil {
			t.done(records[:n]...)
		}
		records = records[n:]
	}
}

// Release says that records that Poll has given are not going to be done by this
// member: a rebalance need not wait for them. They stay outstanding, and come
// again when their part is next given to a member. A record is released once,
// and not after it is done.
func (c *Consumer) Release(records ...*kgo.Record) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range records {
		if t := c.parts[place{r.Topic, r.Partition}]; t != nil {
			t.release()
		}
	}
}

// Close commits what is done, leaves the group and ends the client. With an
// Instance the group keeps the place for the next process until the session
// times out.
func (c *Consumer) Close(ctx context.Context) error {
	c.closing.Store(true)
	err := c.Commit(ctx)
	if left := c.client.LeaveGroupContext(ctx); left != nil && !errors.Is(left, context.Canceled) {
		err = errors.Join(err, Classify("leave group "+c.group, left))
	}
	c.shut()
	return err
}

// shut closes the clients.
func (c *Consumer) shut() {
	if c.client != nil {
		c.client.CloseAllowingRebalance()
	}
	c.turn <- struct{}{}
	if c.txn != nil {
		c.txn.drop()
	}
	<-c.turn
	c.store.Close()
}
