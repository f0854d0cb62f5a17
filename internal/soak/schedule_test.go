//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// disturbance is one kind of trouble.
type disturbance string

const (
	kill     disturbance = "kill"     // a broker dies and comes back
	stop     disturbance = "stop"     // a broker leaves in good order and comes back
	blackout disturbance = "blackout" // two brokers die: no quorum, no writes
	cut      disturbance = "cut"      // clients lose a broker
	stall    disturbance = "stall"    // clients hear nothing of a broker
	apart    disturbance = "apart"    // the other brokers hear nothing of a broker
	slow     disturbance = "slow"     // everything takes longer
	full     disturbance = "full"     // the disk of a broker
	jump     disturbance = "jump"     // the clocks of a broker, and of gapctl
)

// event is one entry of the schedule.
type event struct {
	after time.Duration // since the one before is over
	what  disturbance
	node  int
	lasts time.Duration
	size  time.Duration // of a delay, or a jump
}

func (e event) String() string {
	return fmt.Sprintf("after %v: %s node %d, %v, %v", e.after, e.what, e.node+1, e.lasts, e.size)
}

// schedule is endless: kinds that end a broker and kinds that don't in turn, of
// each all in an order of their own, again and again.
type schedule struct {
	random *rand.Rand
	kinds  [2][]disturbance
	next   [2][]disturbance
	turn   int
}

// backMost is how far a broker's clock goes back at most: less than the hour
// (message.timestamp.after.max.ms) beyond which a log refuses records from the
// future. The wrong clock reaches the broker's logs, and not its transaction
// coordinator, which BrokerServer gives the clock of the system: when it is to
// note that a transaction has ended, and its own log refuses that, the
// transaction never ends (TransactionMarkerChannelManager takes the error for
// impossible), and its ID is answered CONCURRENT_TRANSACTIONS until the
// coordinator moves. With a clock that is wrong altogether a broker lives on.
const backMost = 50 * time.Minute

func newSchedule(seed uint64, deadly, harmless []disturbance) *schedule {
	return &schedule{random: rand.New(rand.NewPCG(seed, 0)), kinds: [2][]disturbance{deadly, harmless}}
}

func (s *schedule) draw() event {
	s.turn = 1 - s.turn
	next := s.next[s.turn]
	if len(next) == 0 {
		next = slices.Clone(s.kinds[s.turn])
		s.random.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
	}
	e := event{
		what: next[0], node: s.random.IntN(nodes),
		after: s.between(500*time.Millisecond, 4*time.Second),
		lasts: s.between(time.Second, 6*time.Second),
	}
	s.next[s.turn] = next[1:]
	switch e.what {
	case full:
		e.node = diskNode
	case slow:
		e.size = s.between(10*time.Millisecond, 150*time.Millisecond)
	case jump:
		e.node, e.size = clockNode, s.between(-backMost, 3*time.Hour)
	case blackout:
		e.lasts /= 2
	}
	return e
}

func (s *schedule) between(least, most time.Duration) time.Duration {
	return (least + time.Duration(s.random.Int64N(int64(most-least)))).Truncate(time.Millisecond)
}
