package gapstore

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// holdClientID is how a hold appears to whoever describes the group or reads the
// broker's request log.
const holdClientID = "gapctl"

// Hold is the right to write one group's commits: membership of the group as
// its only member, and a transactional producer. A group that is consumed is written
// by its own members: see [Consumer].
//
// While it lasts, no consumer of the group is given a partition that the hold
// covers. When one arrives, the hold lets a commit under way finish, leaves by
// itself, and tells so through [Hold.Lost].
//
// Methods may be called at the same time; commits are made one by one. Read
// ([Hold.Fetch], [Hold.Check]) before the first commit: only under the hold is
// what was read certain to be what is replaced.
type Hold struct {
	dial     Dial
	cl       *kgo.Client // speaks for the member
	member   *member
	versions *kversion.Versions // what the broker speaks
	topicIDs map[string][16]byte
	limits   commitLimits
	sent     sentCounter // requests whose lost answer leaves a doubt
	moves    moves       // of the coordinator

	turn     chan struct{} // has room for whoever commits, reads or leaves
	txn      *transactor   // guarded by turn
	left     bool          // guarded by turn
	leaveErr error         // guarded by turn

	tenure atomic.Pointer[tenure] // since the last join
	team   *team                  // nil: the hold is the only member
}

// Acquire joins group as its only member and takes the given partitions, by
// topic, which are the only ones that the hold can write. It takes an empty
// group of consumers of either protocol (classic or KIP-848), or one that
// doesn't exist yet. A group with members is left alone: the error is then an
// [*ActiveError]. Brokers let the first member of a group wait for
// group.initial.rebalance.delay.ms, 3 seconds unless configured.
//
// Every Hold must be released.
func Acquire(ctx context.Context, dial Dial, group string, parts map[string][]int32) (*Hold, error) {
	return acquire(ctx, dial, &member{group: group, parts: sortedParts(parts), timing: usualTiming()})
}

// acquire is Acquire as m.
func acquire(ctx context.Context, dial Dial, m *member) (*Hold, error) {
	if m.group == "" || len(m.parts) == 0 {
		return nil, errors.New("hold: no group, or no partitions")
	}
	h := &Hold{dial: dial, member: m, turn: make(chan struct{}, 1)}
	if err := h.connect(holdClientID); err != nil {
		return nil, err
	}
	if err := h.enter(ctx); err != nil {
		h.cl.Close()
		return nil, err
	}
	h.txn = h.newTransactor(transactionalID(m.group))
	h.begin()
	return h, nil
}

func (h *Hold) connect(clientID string) error {
	cl, err := h.dial(kgo.ClientID(clientID), kgo.WithHooks(&h.sent, &h.moves))
	if err != nil {
		return Classify("hold group "+h.member.group, err)
	}
	h.cl, h.member.cl = cl, cl
	return nil
}

func sortedParts(parts map[string][]int32) map[string][]int32 {
	sorted := make(map[string][]int32, len(parts))
	for topic, ps := range parts {
		ps = slices.Clone(ps)
		slices.Sort(ps)
		sorted[topic] = slices.Compact(ps)
	}
	return sorted
}

// enter looks first and joins then: a join, even one that is taken back, makes
// every member of a live group stop and rebalance.
func (h *Hold) enter(ctx context.Context) error {
	if err := h.prepare(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := h.member.join(ctx)
		if err == nil {
			return nil
		}
		if try == joinTries || !h.joinsOver(ctx, err) {
			return h.joinFailed(ctx, err)
		}
		pause(ctx, retryEvery)
	}
}

const joinTries = 5

// joinsOver tells whether a join that failed with err is to be made again: the
// group rebalances, though nobody else is in it. A join whose answer was lost,
// and that the client has sent again, or a coordinator that moves, does that.
func (h *Hold) joinsOver(ctx context.Context, err error) bool {
	if !isRebalance(err) || ctx.Err() != nil {
		return false
	}
	there, lookErr := look(ctx, h.cl, h.versions, h.member.group)
	if lookErr != nil || h.keptOutBy(there) != nil {
		return false
	}
	if errors.Is(err, kerr.UnknownMemberID) {
		h.member.id = "" // the group has forgotten this one
	}
	return true
}

// prepare learns all that a hold must know before it joins.
func (h *Hold) prepare(ctx context.Context) error {
	group := h.member.group
	if err := h.learnVersions(ctx); err != nil {
		return h.failure("hold group "+group, err)
	}
	there, err := look(ctx, h.cl, h.versions, group)
	if err != nil {
		return h.failure("describe group "+group, err)
	}
	if active := h.keptOutBy(there); active != nil {
		return h.failure("hold group "+group, active)
	}
	if err := h.learnTopics(ctx); err != nil {
		return err
	}
	h.limits = readLimits(ctx, h.cl, there.coordinator)
	return nil
}

// keptOutBy is who keeps the hold out of the group, or nil.
func (h *Hold) keptOutBy(there roster) *ActiveError {
	if h.team != nil {
		there = there.withoutTeam()
	}
	return there.active(h.member.group, h.member.id)
}

// joinFailed names who was faster, and takes the join back.
func (h *Hold) joinFailed(ctx context.Context, err error) error {
	group := h.member.group
	if errors.Is(err, errNotAlone) || isGone(err) {
		err = h.whoCame(err)
	}
	ctx, cancel := h.parting(ctx)
	defer cancel()
	_ = h.member.leave(ctx) // the session times out if this is lost
	op := "join group " + group
	if isRebalance(err) && !errors.Is(err, ErrGroupActive) {
		return &Error{Class: ErrUnavailable, Op: op, Hint: hintMoving, Err: err}
	}
	return h.failure(op, err)
}

func (h *Hold) learnVersions(ctx context.Context) error {
	resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(ctx, h.cl)
	if err != nil {
		return err
	}
	h.versions = kversion.FromApiVersionsResponse(resp)
	return nil
}

// Group is the group that is held.
func (h *Hold) Group() string { return h.member.group }

// leave leaves the group and closes the producer, once. The turn is taken.
func (h *Hold) leave(ctx context.Context) {
	if h.left {
		return
	}
	h.left = true
	h.txn.drop()
	ctx, cancel := h.parting(ctx)
	defer cancel()
	if err := h.member.leave(ctx); err != nil {
		h.leaveErr = h.failure("leave group "+h.member.group, err)
	}
}

// parting is for what must be done even though ctx may have ended.
func (h *Hold) parting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), h.member.timing.parting)
}

// Release leaves the group, after a commit under way, and closes the hold's
// clients. It leaves even when ctx has ended. Calling it again does nothing and
// answers the same. An error means that the group stays blocked until the
// session times out, 15 seconds later.
func (h *Hold) Release(ctx context.Context) error {
	h.turn <- struct{}{}
	h.leave(ctx)
	err := h.leaveErr
	<-h.turn
	h.tenure.Load().end()
	h.cl.Close()
	return err
}
