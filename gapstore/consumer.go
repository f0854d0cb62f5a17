package gapstore

import (
	"context"
	"errors"
	"fmt"
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
// # What comes of a record
//
// [Consumer.Finish] is Done with outputs, which are written in the transaction of
// the next Commit: exactly once for readers that read committed. With
// [ConsumerOptions.Retry], [Consumer.Fail] has a record copied to a retry topic or
// a dead-letter topic in the same way, and Poll gives the retries too.
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
	finished atomic.Int64 // records, so far: the order of the work
	retry    *Retry       // nil: records that fail stay as they are
	store    *Store
	home     NativeHome
	client   *kgo.Client
	// retries reads the retry partitions of the partitions that this member has;
	// nil without retry. Whoever polls it, or gives it others to read, has pull.
	retries *kgo.Client
	pull    sync.Mutex

	turn chan struct{} // has room for whoever commits
	txn  *transactor   // guarded by turn
	// undecided is a commit of which it is not known whether it was made, guarded
	// by turn.
	undecided []draft

	mu     sync.RWMutex
	parts  map[place]*tracked
	given  assignment // by the group, last; where partitions are shared
	now    *session   // nil where they are not, and before the group has given any
	failed []error    // of partitions that can not be consumed; Poll tells them
	wake   context.CancelFunc
	// awaited is since when this member was given partitions that it does not
	// consume yet; zero: it does.
	awaited time.Time
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
	if o.Retry != nil {
		if err := o.Retry.check(o); err != nil {
			return nil, err
		}
	}
	store, err := Open(ctx, dial)
	if err != nil {
		return nil, err
	}
	c := &Consumer{group: o.Group, sharing: o.Sharing, drain: o.Drain, retry: o.Retry, store: store, turn: make(chan struct{}, 1), parts: map[place]*tracked{}}
	if o.Drain == 0 && o.Sharing != Whole {
		c.drain = consumerDrain
	}
	if err := c.join(ctx, dial, o); err != nil {
		c.shut()
		return nil, err
	}
	return c, nil
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
	if c.retries != nil {
		c.retries.Close()
	}
	c.turn <- struct{}{}
	if c.txn != nil {
		c.txn.drop()
	}
	<-c.turn
	c.store.Close()
}
