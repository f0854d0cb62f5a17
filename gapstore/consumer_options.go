package gapstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// ConsumerOptions say what a [Consumer] reads, and as whom.
type ConsumerOptions struct {
	Group  string
	Topics []string
	// Instance names this member for as long as there is a process in its
	// place: "worker-3". It is the group.instance.id (KIP-345), and names the
	// transactions too, so that a process that starts again takes over at once
	// what one that was killed has left. "": a member that comes and goes; then
	// a commit cut short by a kill blocks the partitions for up to a minute.
	Instance string
	// Sharing is how the group's members divide the records; the zero value
	// gives each partition to one of them. See [Consumer] about the others.
	Sharing Sharing
	// Drain is how long a rebalance waits for the records in hand: those that
	// Poll has given, and that are neither done nor released. 0: ten seconds
	// where partitions are shared, and not at all otherwise; negative: not at
	// all. It must be shorter than the group's rebalance timeout.
	Drain time.Duration
	// Retry says what becomes of records that fail; nil: nothing, they stay
	// outstanding.
	Retry *Retry
	// Native says how to create the native topic where there is none.
	Native NativeOptions
	// Client are more options of the consuming client, such as kgo.Balancers,
	// or kgo.ServerSideBalancer for a KIP-848 group. Offsets, the callbacks on
	// partitions and automatic commits are the Consumer's own, and so is the
	// balancer where partitions are shared.
	Client []kgo.Opt
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

// assigned begins with partitions that the group has given to this member.
func (c *Consumer) assigned(cl *kgo.Client, parts map[string][]int32) {
	if len(parts) > 0 {
		c.noteWait()
	}
	if c.sharing != Whole {
		c.enter(cl)
	}
}

func (c *Consumer) clientOpts(o ConsumerOptions) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumerGroup(o.Group), kgo.ConsumeTopics(o.Topics...),
		kgo.DisableAutoCommit(), kgo.RequireStableFetchOffsets(), kgo.BlockRebalanceOnPoll(),
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
