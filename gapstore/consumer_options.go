package gapstore

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
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
