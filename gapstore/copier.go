package gapstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Copier produces copies of a group's records in transactions of their own, for
// what changes none of the group's commits.
type Copier struct {
	group    string
	producer *Producer
	sent     sentCounter

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
	c := &Copier{group: group}
	var err error
	c.producer, err = NewProducer(dial, kgo.ClientID(holdClientID), kgo.TransactionalID(transactionalID(group)),
		kgo.TransactionTimeout(copyTimeout), kgo.WithHooks(&c.sent))
	if err != nil {
		return nil, Classify("copy records of group "+group, err)
	}
	return c, nil
}

// Begin begins a transaction.
func (c *Copier) Begin() error {
	c.failed = nil
	return Classify("copy records of group "+c.group, c.producer.BeginTransaction())
}

// Produce adds a record, which goes to its own Partition unless that is -1. It
// waits only for room, and for the partitions of a topic that is new. After a
// failure, which Commit tells, it does nothing.
func (c *Copier) Produce(ctx context.Context, r *kgo.Record) {
	if c.failure() != nil {
		return
	}
	c.producer.Produce(ctx, r, func(_ *kgo.Record, err error) {
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
	err := errors.Join(c.producer.Flush(ctx), c.failure())
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err != nil {
		return errors.Join(lacking(op, "WRITE on the topic of the copies", err), c.producer.EndTransaction(ending, kgo.TryAbort))
	}
	before := c.sent.of(kmsg.EndTxn)
	err = c.producer.EndTransaction(ending, kgo.TryCommit)
	switch {
	case err == nil:
		return nil
	case inDoubt(err, c.sent.since(before, kmsg.EndTxn, err)):
		return &Error{Class: ErrUnknownOutcome, Op: op, Hint: "look whether the copies are there", Err: err}
	case isFenced(err):
		return &Error{Class: ErrFenced, Op: op, Hint: "another gapctl copies records of this group now", Err: err}
	}
	return Classify(op, err)
}

// failure is the first of the transaction.
func (c *Copier) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Close ends the connections. A transaction that was not committed is aborted.
func (c *Copier) Close() { c.producer.Close() }
