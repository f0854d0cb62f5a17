package gapstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Copier produces copies of a group's records in transactions of their own, for
// what changes none of the group's commits.
type Copier struct {
	group  string
	client *kgo.Client

	mu     sync.Mutex
	failed error
}

// copyTimeout is how long readers of the copies wait for a copier that was
// killed.
const copyTimeout = 5 * time.Minute

// endTimeout bounds what is done after a caller's context has ended: ending a
// transaction, and leaving a share group.
const endTimeout = 10 * time.Second

// OpenCopier makes a copier. A copier of the same group that is still at work
// is fenced, and what it has not committed is gone.
func OpenCopier(dial Dial, group string) (*Copier, error) {
	client, err := dial(kgo.ClientID(holdClientID), kgo.TransactionalID(transactionalID(group)), kgo.TransactionTimeout(copyTimeout),
		kgo.RecordPartitioner(chosenPartition{kgo.StickyKeyPartitioner(nil)}))
	if err != nil {
		return nil, Classify("copy records of group "+group, err)
	}
	return &Copier{group: group, client: client}, nil
}

// Begin begins a transaction.
func (c *Copier) Begin() error {
	c.failed = nil
	return Classify("copy records of group "+c.group, c.client.BeginTransaction())
}

// Produce adds a record, which goes to its own Partition unless that is -1. It
// waits only for room.
func (c *Copier) Produce(ctx context.Context, r *kgo.Record) {
	c.client.Produce(ctx, r, func(_ *kgo.Record, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil && c.failed == nil {
			c.failed = err
		}
	})
}

// Commit ends the transaction: all of it is there, or, with an error, none,
// unless the class is [ErrUnknownOutcome].
func (c *Copier) Commit(ctx context.Context) error {
	op := "copy records of group " + c.group
	err := c.client.Flush(ctx)
	c.mu.Lock()
	err = errors.Join(err, c.failed)
	c.mu.Unlock()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err != nil {
		return errors.Join(lacking(op, "WRITE on the topic of the copies", err), c.client.EndTransaction(ending, kgo.TryAbort))
	}
	if err := c.client.EndTransaction(ending, kgo.TryCommit); err != nil {
		return &Error{Class: ErrUnknownOutcome, Op: op, Hint: "look whether the copies are there", Err: err}
	}
	return nil
}

// Close ends the connections. A transaction that was not committed is aborted.
func (c *Copier) Close() { c.client.Close() }
