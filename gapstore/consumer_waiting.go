package gapstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tellAfter is how long a member waits for transactions of others before they
// are worth a word: a commit takes some milliseconds.
const tellAfter = 3 * time.Second

// noteWait notes that partitions are given to this member, which it consumes once
// the commits that are under way have ended.
func (c *Consumer) noteWait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaited = time.Now()
}

// waiting is why ctx has ended, with the transactions that this member has been
// waiting for since it was given partitions, if it has.
func (c *Consumer) waiting(ctx context.Context) error {
	c.mu.RLock()
	since := c.awaited
	c.mu.RUnlock()
	if since.IsZero() || time.Since(since) < tellAfter {
		return ctx.Err()
	}
	return c.store.stillOpen(ctx, c.group)
}

// stillOpen is why ctx has ended, with the transactions that hold back commits
// of group. Whose they are costs some requests, and is not told in time by who
// could not tell it to begin with.
func (s *Store) stillOpen(ctx context.Context, group string) error {
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	who := s.openTransactions(asking, group)
	if len(who) == 0 {
		return ctx.Err()
	}
	return fmt.Errorf("waiting for the end of %s: %w", strings.Join(who, ", or "), ctx.Err())
}

// openTransactions are the transactions that are open for some time in the logs
// that keep the commits of group: those of its own members, or else of anybody.
func (s *Store) openTransactions(ctx context.Context, group string) []string {
	producers := s.openProducers(ctx, group)
	if len(producers) == 0 { // none would be all
		return nil
	}
	admin := kadm.NewClient(s.client)
	listed, err := admin.ListTransactions(ctx, producers, nil)
	if err != nil || len(listed) == 0 {
		return nil
	}
	described, err := admin.DescribeTransactions(ctx, listed.TransactionalIDs()...)
	if err != nil {
		return nil
	}
	var own, all []string
	for _, d := range described.Sorted() {
		begun := time.UnixMilli(d.StartTimestamp)
		if d.Err != nil || !slices.Contains(producers, d.ProducerID) || time.Since(begun) < tellAfter {
			continue
		}
		told := fmt.Sprintf("transaction %q (producer %d, epoch %d, %s since %s)", d.TxnID, d.ProducerID, d.ProducerEpoch, d.State,
			begun.UTC().Format(time.RFC3339))
		if all = append(all, told); strings.HasPrefix(d.TxnID, transactionalID(group)) {
			own = append(own, told)
		}
	}
	if len(own) > 0 {
		return own
	}
	return all
}

// openProducers are those that have a transaction open in the logs that keep the
// commits of group (KIP-664).
func (s *Store) openProducers(ctx context.Context, group string) (producers []int64) {
	req := kmsg.NewPtrDescribeProducersRequest()
	for _, find := range []func(context.Context, string) (LogPlace, error){s.CommitLog, s.NativeLog} {
		if log, err := find(ctx, group); err == nil {
			t := kmsg.NewDescribeProducersRequestTopic()
			t.Topic, t.Partitions = log.Topic, []int32{log.Partition}
			req.Topics = append(req.Topics, t)
		}
	}
	for _, shard := range s.client.RequestSharded(ctx, req) {
		if shard.Err != nil {
			continue
		}
		for _, t := range shard.Resp.(*kmsg.DescribeProducersResponse).Topics {
			for _, p := range t.Partitions {
				for _, a := range p.ActiveProducers {
					if a.CurrentTxnStartOffset >= 0 {
						producers = append(producers, a.ProducerID)
					}
				}
			}
		}
	}
	slices.Sort(producers)
	return slices.Compact(producers)
}

// waitFailed is the failure of a wait for a commit, which ctx has ended.
func (c *Consumer) waitFailed(ctx context.Context) error {
	why := ctx.Err()
	if errors.Is(why, context.DeadlineExceeded) {
		why = c.store.stillOpen(ctx, c.group)
	}
	return Classify("wait for a commit of group "+c.group+" to end", why)
}
