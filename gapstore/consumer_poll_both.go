package gapstore

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// recheck is how soon to look again for records that the client announced, but
// did not have ready.
const recheck = 5 * time.Millisecond

// pollBoth is Poll where there is a retry topic. All that partitions give goes
// through their backlogs.
func (c *Consumer) pollBoth(ctx context.Context, limit int) ([]*kgo.Record, error) {
	for {
		poll, stop := context.WithCancel(ctx)
		if err := c.failures(stop); err != nil {
			stop()
			return nil, err
		}
		c.makeRoom()
		fetches, ended := c.fetchFresh(poll, limit)
		stop()
		// No rebalance comes between here and AllowRebalance.
		c.intake(fetches)
		retries := c.pullRetries()
		err := errors.Join(c.pollFailure(ctx, fetches, ended), c.pollFailure(ctx, retries, false))
		records := c.handOver(limit)
		c.client.AllowRebalance()
		if len(records) > 0 || err != nil {
			return records, err
		}
	}
}

// fetchFresh waits until the partitions consumed have records, or a backlog has
// some to give, or until it is woken; ended reports one of the latter.
func (c *Consumer) fetchFresh(ctx context.Context, limit int) (fetches kgo.Fetches, ended bool) {
	wait, ok := c.nextIn()
	if ok && wait <= 0 {
		if fetches = c.client.PollRecords(nil, limit); len(fetches) > 0 { //nolint:staticcheck // nil: do not wait
			return fetches, false
		}
		// One whose context has ended keeps a rebalance out like any other.
		over, cancel := context.WithCancel(ctx)
		cancel()
		return c.client.PollRecords(over, limit), true
	}
	if ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	fetches = c.client.PollRecords(ctx, limit)
	return fetches, ctx.Err() != nil
}

// nextIn is how long it takes until a backlog has something to give, at most.
func (c *Consumer) nextIn() (wait time.Duration, ok bool) {
	now := time.Now()
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, t := range c.parts {
		if t.topic == c.retry.Topic {
			continue
		}
		if at, some := t.backlog.nextAt(); some && (!ok || time.UnixMilli(at).Sub(now) < wait) {
			wait, ok = time.UnixMilli(at).Sub(now), true
		}
	}
	if c.retries.BufferedFetchRecords() > 0 && (!ok || wait > recheck) {
		wait, ok = recheck, true
	}
	return wait, ok
}

// pullRetries takes what the retry topic has given.
func (c *Consumer) pullRetries() kgo.Fetches {
	c.pull.Lock()
	defer c.pull.Unlock()
	fetches := c.retries.PollRecords(nil, retriesAtOnce) //nolint:staticcheck // nil: do not wait
	c.intake(fetches)
	return fetches
}

// intake puts records into the backlogs.
func (c *Consumer) intake(fetches kgo.Fetches) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		t := c.parts[place{p.Topic, p.Partition}]
		if t == nil {
			return
		}
		for _, r := range p.Records {
			if t.see(r) {
				t.backlog.add(r, t)
			}
			if t.topic == c.retry.Topic {
				t.backlog.reached(r.Offset + 1)
			}
		}
	})
}

// handOver takes what is to be processed now out of the backlogs.
func (c *Consumer) handOver(limit int) (records []*kgo.Record) {
	now := time.Now().UnixMilli()
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, t := range c.parts { // at random, so that none is always the first
		if t.topic != c.retry.Topic && (limit == 0 || len(records) < limit) {
			records = t.backlog.give(now, limit, records)
		}
	}
	return records
}

// makeRoom stops reading the partitions whose backlogs are full, and reads on
// where there is room again.
func (c *Consumer) makeRoom() {
	pause, resume := map[string][]int32{}, map[string][]int32{}
	set := func(at place, paused *bool, to bool) {
		switch {
		case to && !*paused:
			pause[at.topic] = append(pause[at.topic], at.partition)
		case !to && *paused:
			resume[at.topic] = append(resume[at.topic], at.partition)
		}
		*paused = to
	}
	c.pull.Lock() // whoever gives partitions up resumes them
	defer c.pull.Unlock()
	c.mu.RLock()
	for at, t := range c.parts {
		if at.topic != c.retry.Topic {
			fresh, retries := t.backlog.room()
			set(at, &t.backlog.freshPaused, fresh)
			set(c.companion(at), &t.backlog.retriesPaused, retries)
		}
	}
	c.mu.RUnlock()
	for _, cl := range []*kgo.Client{c.client, c.retries} {
		if len(pause) > 0 {
			cl.PauseFetchPartitions(pause)
		}
		if len(resume) > 0 {
			cl.ResumeFetchPartitions(resume)
		}
	}
}
