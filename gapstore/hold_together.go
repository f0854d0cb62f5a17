package gapstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// togetherName marks those who hold a group together: it is their client ID,
// and the group protocol that they prefer. As a group only ever has a protocol
// that all of its members know, it has this one only while there is nobody else.
const togetherName = "gapctl-together"

// Together reports whether all members are processes that hold the group
// together, so that [AcquireTogether] joins them; false when there are none.
func Together(members []Member) bool {
	for _, m := range members {
		if m.ClientID != togetherName {
			return false
		}
	}
	return len(members) > 0
}

// team is what a hold knows about the others that it shares the group with.
type team struct {
	share HoldShare
	round uint64 // of joins
}

// HoldShare is the part of a hold's partitions that is its own for the time being.
type HoldShare struct {
	// Parts are the partitions, by topic, ascending. Nothing else can be written.
	Parts map[string][]int32
	// Members is how many hold the group, this one among them.
	Members int
}

// Has reports whether the partition is in the share.
func (s HoldShare) Has(topic string, partition int32) bool {
	_, has := slices.BinarySearch(s.Parts[topic], partition)
	return has
}

// AcquireTogether is [Acquire] for one of several processes that hold the group
// together: it also joins a group whose members are all of that kind. Each
// partition belongs to one of those who have something to do there, until the
// next share-out: [Hold.Share] says what belongs to this one.
//
// When another process comes, leaves or dies, the hold is lost with the class
// [ErrReshared], and [Hold.Rejoin] gets the next share. A commit under way then
// is made or not made. When anybody else comes, all leave.
func AcquireTogether(ctx context.Context, dial Dial, group string, stakes []Stake) (*Hold, error) {
	return acquireTogether(ctx, dial, &member{group: group, parts: partsOf(stakes), timing: usualTiming()}, stakes)
}

func acquireTogether(ctx context.Context, dial Dial, m *member, stakes []Stake) (*Hold, error) {
	if m.group == "" || len(m.parts) == 0 {
		return nil, errors.New("hold: no group, or no partitions")
	}
	h := &Hold{dial: dial, member: m, turn: make(chan struct{}, 1), team: &team{}}
	if err := h.connect(togetherName); err != nil {
		return nil, err
	}
	err := h.prepare(ctx)
	if err == nil {
		err = h.joinTeam(ctx, stakes)
	}
	if err != nil {
		h.cl.Close()
		return nil, err
	}
	return h, nil
}

// Share is what the last join has given. It stays what it was when the hold is
// lost.
func (h *Hold) Share() HoldShare { return h.team.share }

// MemberID is what the group's coordinator calls this member.
func (h *Hold) MemberID() string { return h.member.id }

// Shares are the shares of all members, as the coordinator has them now; none
// while the group is being shared out.
func (h *Hold) Shares(ctx context.Context) ([]HoldShare, error) {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{h.member.group}
	resp, err := req.RequestWith(ctx, h.cl)
	if err != nil {
		return nil, h.failure("describe group "+h.member.group, err)
	}
	var shares []HoldShare
	for _, g := range resp.Groups {
		for _, m := range g.Members {
			if parts, err := parseParts(m.MemberAssignment); err == nil && g.State == "Stable" {
				shares = append(shares, HoldShare{parts, len(g.Members)})
			}
		}
	}
	return shares, nil
}

// Rejoin gives up the share and asks for another. Whoever holds the group
// together gets a new one with it. A commit that was under way, and whose
// outcome is not known, can not be made any more once Rejoin has returned,
// unless [Hold.Fetch] sees it. An error is the end of the hold.
func (h *Hold) Rejoin(ctx context.Context, stakes []Stake) error {
	if err := h.takeTurn(ctx); err != nil {
		return err
	}
	defer h.giveTurn()
	if err := h.Err(); h.left || err != nil && !errors.Is(err, ErrReshared) {
		return cmp.Or(err, h.usable())
	}
	h.tenure.Load().end()
	return h.joinTeam(ctx, stakes)
}

// joinTeam joins, or joins again, until there is a share. The turn is taken, or
// nobody else has the hold yet.
func (h *Hold) joinTeam(ctx context.Context, stakes []Stake) error {
	h.team.round++
	b := bid{h.team.round, stakes}
	for {
		share, err := h.tryJoinTeam(ctx, b)
		switch {
		case err == nil:
			h.team.share, h.member.parts = share, share.Parts
			h.begin()
			return nil
		case errors.Is(err, kerr.UnknownMemberID):
			h.member.id = "" // the group has forgotten this one
		case !isGone(err):
			return h.quit(ctx, err)
		}
	}
}

// tryJoinTeam looks first, as every join does, and again at the end: nobody else
// may have come in between.
func (h *Hold) tryJoinTeam(ctx context.Context, b bid) (HoldShare, error) {
	if _, err := h.lookForOthers(ctx); err != nil {
		return HoldShare{}, err
	}
	parts, leads, err := h.member.joinTogether(ctx, b)
	if errors.Is(err, errNotAlone) {
		_, err = h.lookForOthers(ctx)
		return HoldShare{}, cmp.Or[error](err, &ActiveError{Group: h.member.group})
	}
	if err != nil {
		return HoldShare{}, err
	}
	there, err := h.lookForOthers(ctx)
	if err != nil {
		return HoldShare{}, err
	}
	h.useOwnTransactor()
	if leads {
		_ = h.endDeparted(ctx, there) // or they time out
	}
	return HoldShare{parts, len(there.members)}, nil
}

// lookForOthers is who is in the group; the error names those who do not hold it
// together.
func (h *Hold) lookForOthers(ctx context.Context) (roster, error) {
	there, err := look(ctx, h.cl, h.versions, h.member.group)
	if err != nil {
		return there, err
	}
	if active := h.keptOutBy(there); active != nil {
		return there, active
	}
	return there, nil
}

// quit leaves for good, and err is why.
func (h *Hold) quit(ctx context.Context, err error) error {
	ctx, cancel := h.parting(ctx)
	defer cancel()
	h.left = true
	_ = h.member.leave(ctx)     // the session times out if this is lost
	if h.tenure.Load() == nil { // it never was a member
		return h.failure("join group "+h.member.group, err)
	}
	h.txn.drop()
	nothing := func() {}
	ended := &tenure{lost: make(chan struct{}), err: h.lostBy(ErrLost, err), giveUp: nothing, stop: nothing}
	close(ended.lost)
	h.tenure.Store(ended)
	return ended.err
}

// useOwnTransactor makes the transactor of this member, unless it is there. A
// member that the group has forgotten has got another ID, and with it another
// transactor.
func (h *Hold) useOwnTransactor() {
	id := memberTransactions(h.member.group, h.member.id)
	if h.txn != nil && h.txn.id == id {
		return
	}
	if h.txn != nil {
		h.txn.drop()
	}
	h.txn = h.newTransactor(id)
}

// memberTransactions is the transactional ID of one of those who hold a group
// together. As no two can have the same, none fences another.
func memberTransactions(group, member string) string {
	return teamTransactions(group) + strings.TrimPrefix(member, togetherName+"-")
}

func teamTransactions(group string) string { return transactionalID(group) + "-together-" }
