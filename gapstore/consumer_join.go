package gapstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

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
	if c.retry != nil {
		if err := c.openRetries(ctx, dial); err != nil {
			return err
		}
	}
	c.client, err = dial(slices.Concat(o.Client, c.clientOpts(o))...)
	return Classify(op, err)
}

// ensure is [Store.Ensure], tried again while the topic's leaders are not ready:
// of members that start at the same time, one creates it.
func (c *Consumer) ensure(ctx context.Context, o NativeOptions) (home NativeHome, err error) {
	for try := range coordinatorTries {
		if home, err = c.store.Ensure(ctx, o); !errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
			break
		}
		pause(ctx, min(25*time.Millisecond<<try, time.Second))
	}
	return home, err
}

// newTransactor is what the consumer makes transactions with.
func (c *Consumer) newTransactor(dial Dial) (*transactor, error) {
	probe, err := dial()
	if err != nil {
		return nil, err
	}
	defer probe.Close()
	limit, _ := probe.OptValue(kgo.MaxVersions).(*kversion.Versions)
	name := cmp.Or(deref(c.instance), rand.Text())
	return &transactor{
		id: transactionalID(c.group) + "-" + name, clientID: holdClientID, timeout: consumerTransaction,
		parting: usualTiming().parting, dial: dial, limit: limit, versions: c.store.versions, sent: new(sentCounter),
	}, nil
}

func (c *Consumer) clientOpts(o ConsumerOptions) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(o.Topics...),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.AdjustFetchOffsetsFn(c.begin),
		kgo.OnPartitionsAssigned(func(_ context.Context, cl *kgo.Client, parts map[string][]int32) { c.assigned(cl, parts) }),
		kgo.OnPartitionsRevoked(func(ctx context.Context, cl *kgo.Client, parts map[string][]int32) { c.revoke(ctx, cl, parts) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { c.drop(parts) }),
	}
	if c.instance != nil {
		opts = append(opts, kgo.InstanceID(*c.instance))
	}
	if c.sharing != Whole {
		opts = append(opts, kgo.Balancers(&balancer{c.sharing, c.takenSlots, c.noteAssignment}))
	}
	return opts
}
