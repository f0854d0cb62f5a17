package gapstore

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"
)

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
	if c.retry != nil {
		return c.pollBoth(ctx, max(0, limit))
	}
	for {
		poll, stop := context.WithCancel(ctx)
		if err := c.failures(stop); err != nil {
			stop()
			return nil, err
		}
		fetches := c.client.PollRecords(poll, limit)
		ended := poll.Err() != nil
		stop()
		records, err := c.sift(fetches), c.pollFailure(ctx, fetches, ended)
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
func (c *Consumer) sift(fetches kgo.Fetches) (records []*kgo.Record) {
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
	return records
}

// pollFailure is what went wrong in a poll. That it was ended is nothing wrong,
// unless ctx has.
func (c *Consumer) pollFailure(ctx context.Context, fetches kgo.Fetches, ended bool) (err error) {
	op := "poll group " + c.group
	if ended && ctx.Err() != nil {
		err = c.failure(op, c.waiting(ctx), 0)
	}
	fetches.EachError(func(topic string, partition int32, failed error) {
		if !ended || !errors.Is(failed, context.Canceled) && !errors.Is(failed, context.DeadlineExceeded) {
			err = errors.Join(err, c.failure(op, failed, 0))
		}
	})
	return err
}
