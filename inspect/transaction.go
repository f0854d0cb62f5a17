package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// transaction is one that is open in a log (KIP-664).
type transaction struct {
	ProducerID    int64
	ProducerEpoch int16
	// Start is the offset of its first record in the log.
	Start int64
	// ID is the transactional ID; "" when no coordinator told one. Listed is
	// whether they were all asked: without an ID the transaction then hangs,
	// for nobody is left to end it.
	ID     string
	Listed bool
	// State is the coordinator's word, "" when not told: "Ongoing", …
	State string
	// Since is when it began, or else when its producer last wrote; Timeout is
	// after how long its coordinator aborts it; zero when not told.
	Since   time.Time
	Timeout time.Duration
}

// openTransactions are the open transactions of some logs.
type openTransactions struct {
	open   map[place][]transaction // by log, sorted by start
	failed map[place]error         // logs whose producers can not be told
	// unnamed is why nobody tells the IDs, where the broker has no way to.
	unnamed error
	// commits are the logs that keep the commits of groups, by group.
	commits map[string]place
}

// findTransactions finds the transactions that hold the last stable offsets of
// the logs of s, and those that are about to change its commits. Notices say
// which right is missing.
func findTransactions(ctx context.Context, store *gapstore.Store, s *Snapshot) (t *openTransactions, notices []string) {
	t = &openTransactions{open: map[place][]transaction{}, failed: map[place]error{}, commits: map[string]place{}}
	logs := map[string][]int32{}
	add := func(at place) {
		if !slices.Contains(logs[at.topic], at.partition) {
			logs[at.topic] = append(logs[at.topic], at.partition)
		}
	}
	eachPartition(s.Groups, func(p *Partition) {
		if p.LastStable >= 0 && p.LastStable < p.LogEnd {
			add(p.place())
		}
		if p.Pending {
			t.commits[p.Group] = place{}
		}
	})
	for group := range t.commits {
		if log, err := store.CommitLog(ctx, group); err == nil {
			t.commits[group] = place{log.Topic, log.Partition}
			add(t.commits[group])
		}
	}
	if len(logs) == 0 {
		return t, nil
	}
	t.describeProducers(ctx, store, logs)
	if err := t.name(ctx, store); errors.Is(err, gapstore.ErrUnsupported) {
		t.unnamed = err
	} else if err != nil {
		notices = append(notices, fmt.Sprintf("the IDs of open transactions are not all known: this needs DESCRIBE on the transactional IDs (%v)", err))
	}
	return t, notices
}

// describeProducers asks the leaders who has a transaction open.
func (t *openTransactions) describeProducers(ctx context.Context, store *gapstore.Store, logs map[string][]int32) {
	req := kmsg.NewPtrDescribeProducersRequest()
	for topic, partitions := range logs {
		rt := kmsg.NewDescribeProducersRequestTopic()
		rt.Topic, rt.Partitions = topic, partitions
		req.Topics = append(req.Topics, rt)
	}
	for _, shard := range store.Client().RequestSharded(ctx, req) {
		if shard.Err != nil {
			for _, rt := range shard.Req.(*kmsg.DescribeProducersRequest).Topics {
				for _, partition := range rt.Partitions {
					t.failed[place{rt.Topic, partition}] = store.RequestFailure("describe producers", shard.Req.Key(), shard.Err)
				}
			}
			continue
		}
		for _, rt := range shard.Resp.(*kmsg.DescribeProducersResponse).Topics {
			for _, p := range rt.Partitions {
				at := place{rt.Topic, p.Partition}
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					t.failed[at] = store.Failure("describe producers", err)
				}
				t.open[at] = openOf(p.ActiveProducers)
			}
		}
	}
}

// openOf are the transactions among the producers that a log remembers.
func openOf(producers []kmsg.DescribeProducersResponseTopicPartitionActiveProducer) []transaction {
	var open []transaction
	for _, p := range producers {
		if p.CurrentTxnStartOffset >= 0 {
			open = append(open, transaction{
				ProducerID: p.ProducerID, ProducerEpoch: int16(p.ProducerEpoch), Start: p.CurrentTxnStartOffset,
				Since: time.UnixMilli(p.LastTimestamp).UTC(),
			})
		}
	}
	slices.SortFunc(open, func(a, b transaction) int { return cmp.Compare(a.Start, b.Start) })
	return open
}

// name asks the coordinators for the transactional IDs of the open ones, and
// since when they are open.
func (t *openTransactions) name(ctx context.Context, store *gapstore.Store) error {
	var producers []int64
	for _, open := range t.open {
		for i := range open {
			producers = append(producers, open[i].ProducerID)
		}
	}
	if len(producers) == 0 {
		return nil
	}
	slices.Sort(producers)
	admin := kadm.NewClient(store.Client())
	listed, err := admin.ListTransactions(ctx, slices.Compact(producers), nil)
	if err != nil {
		return store.RequestFailure("list transactions", kmsg.ListTransactions.Int16(), err)
	}
	byProducer := map[int64]kadm.ListedTransaction{}
	var ids []string
	for _, l := range listed {
		if _, asked := slices.BinarySearch(producers, l.ProducerID); asked {
			byProducer[l.ProducerID] = l
			ids = append(ids, l.TxnID)
		}
	}
	var described kadm.DescribedTransactions
	if len(ids) > 0 { // none would be all
		described, err = admin.DescribeTransactions(ctx, ids...)
	}
	for _, open := range t.open {
		for i := range open {
			o := &open[i]
			l := byProducer[o.ProducerID]
			o.Listed, o.ID, o.State = true, l.TxnID, l.State
			if d, ok := described[l.TxnID]; ok && d.Err == nil {
				o.State, o.Timeout = d.State, time.Duration(d.TimeoutMillis)*time.Millisecond
				if d.StartTimestamp > 0 {
					o.Since = time.UnixMilli(d.StartTimestamp).UTC()
				}
			}
		}
	}
	return store.Failure("describe transactions", err)
}
