package gapstore

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
)

// The classes of what a [Hold] refuses or loses; test with errors.Is. Unless
// the class is ErrUnknownOutcome or ErrPartial, nothing was written.
var (
	// ErrGroupActive: the group has members; the cause is an [*ActiveError].
	ErrGroupActive = errors.New("the group has members")
	// ErrLost: the hold ended before the commit was made, because somebody
	// joined the group (then the cause is an [*ActiveError]), or because the
	// broker no longer counts the hold as a member.
	ErrLost = errors.New("the hold is lost")
	// ErrReshared: of a hold that is shared, the others, or their number, have
	// changed: what is to be written is shared out anew, see [Hold.Rejoin].
	ErrReshared = errors.New("the group is shared out anew")
	// ErrFenced: another process writes this group's transactions.
	ErrFenced = errors.New("fenced by another writer of this group")
	// ErrUnknownOutcome: the commit was sent and its answer never came. Read
	// the offsets back, under a new hold, to learn what stands.
	ErrUnknownOutcome = errors.New("unknown whether the commit was made")
	// ErrPartial: a plain commit was refused for some partitions and made for
	// the others; the cause is a [*RefusedError].
	ErrPartial = errors.New("made for some partitions only")
	// ErrTooLarge: the commit, or one metadata text, exceeds what the broker
	// stores.
	ErrTooLarge = errors.New("too large")
	// ErrConflict: the committed offset is not what the caller saw; the error
	// is a [*ConflictError].
	ErrConflict = errors.New("the commit has changed")
)

// ActiveError says who is in a group.
type ActiveError struct {
	Group   string
	State   string   // the coordinator's word: "Stable", "PreparingRebalance", …
	Members []Member // may be empty while members are still joining
}

// shownMembers bounds how many members a message names; groups may have thousands.
const shownMembers = 5

// Error names the first few members, quoted.
func (e *ActiveError) Error() string {
	var b strings.Builder
	noun := "members"
	if len(e.Members) == 1 {
		noun = "member"
	}
	fmt.Fprintf(&b, "group %q is %s with %d %s", e.Group, e.State, len(e.Members), noun)
	for i, m := range e.Members {
		if i == shownMembers {
			b.WriteString(", …")
			break
		}
		separator := ": "
		if i > 0 {
			separator = ", "
		}
		fmt.Fprintf(&b, "%s%q (client %q at %q)", separator, m.ID, m.ClientID, m.Host)
	}
	return b.String()
}

// Unwrap is ErrGroupActive.
func (e *ActiveError) Unwrap() error { return ErrGroupActive }

// ConflictError is a commit that differs from what the caller expected.
type ConflictError struct {
	Key
	Want, Got OffsetCommit
}

// Error says which partition, and what is there.
func (e *ConflictError) Error() string {
	what := "metadata"
	switch {
	case e.Want.TopicID != e.Got.TopicID:
		what = "topic ID"
	case e.Want.Offset != e.Got.Offset:
		what = "offset " + strconv.FormatInt(e.Want.Offset, 10) + " became " + strconv.FormatInt(e.Got.Offset, 10)
	case e.Want.LeaderEpoch != e.Got.LeaderEpoch:
		what = "leader epoch"
	}
	return e.Key.String() + ": " + ErrConflict.Error() + ": " + what
}

// Unwrap is ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }

// Refusal is the broker's answer for one partition of a commit.
type Refusal struct {
	Key
	Err error // a *kerr.Error
}

// RefusedError lists the partitions of a commit that the broker refused.
type RefusedError struct {
	Refused []Refusal
	// Written are the partitions that were committed all the same. A
	// transaction has none, and a plain commit only when a topic was deleted
	// or a right was taken away since the hold began.
	Written []Key
}

// Error gives the number and the first refusal.
func (e *RefusedError) Error() string {
	first := e.Refused[0]
	return fmt.Sprintf("%d of %d partitions refused, the first %s: %v",
		len(e.Refused), len(e.Refused)+len(e.Written), first.Key, first.Err)
}

// Unwrap is the first refusal's error; brokers refuse a request as a whole for
// one reason.
func (e *RefusedError) Unwrap() error { return e.Refused[0].Err }

// isGone reports whether the coordinator's answer says that the hold no longer
// owns the group, or soon won't.
func isGone(err error) bool {
	return anyOf(err, kerr.RebalanceInProgress, kerr.UnknownMemberID, kerr.IllegalGeneration,
		kerr.FencedInstanceID, kerr.FencedMemberEpoch, kerr.StaleMemberEpoch, kerr.GroupIDNotFound)
}

// isRebalance reports whether the coordinator's answer to a join says that another
// join may do.
func isRebalance(err error) bool {
	return anyOf(err, kerr.RebalanceInProgress, kerr.UnknownMemberID, kerr.IllegalGeneration)
}

// isFenced reports whether the answer says that a newer producer has taken
// over the transactional ID.
func isFenced(err error) bool {
	return anyOf(err, kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping)
}

func anyOf(err error, classes ...error) bool {
	for _, class := range classes {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// SizeError is a commit that is larger than the broker stores.
type SizeError struct {
	Op          string // what was tried, and on what
	What        string // the unit: "bytes in one commit"
	Need, Limit int
}

// Error is "op: need unit, the limit is limit".
func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: %d %s, the limit is %d", e.Op, e.Need, e.What, e.Limit)
}

// Unwrap is ErrTooLarge.
func (e *SizeError) Unwrap() error { return ErrTooLarge }

// failure is err as [Classify] has it, with what a writer needs as the hint.
func (h *Hold) failure(op string, err error) error {
	group := h.member.group
	switch {
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return &Error{Class: ErrDenied, Op: op, Hint: "needs READ and DESCRIBE on the group " + group, Err: err}
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return &Error{Class: ErrDenied, Op: op, Hint: "needs READ on the group's topics, and WRITE where records go", Err: err}
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		which := "ID "
		if h.team != nil {
			which = "IDs that begin with "
		}
		return &Error{Class: ErrDenied, Op: op, Hint: "needs WRITE on the transactional " + which + transactionalID(group), Err: err}
	}
	return Classify(op, err)
}
