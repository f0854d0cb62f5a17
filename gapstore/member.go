package gapstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// timing is how a member and its group wait for each other.
type timing struct {
	// session is how long consumers wait for a hold that was killed.
	session time.Duration
	// heartbeat is how soon a hold learns that a consumer has arrived.
	heartbeat time.Duration
	// rebalance is how long the group waits for a hold that is to make room.
	rebalance time.Duration
	// parting bounds what is done after a caller's context has ended: leaving
	// the group, and ending a transaction.
	parting time.Duration
	// grace is how long a commit may still take once somebody else has come for
	// the group. It is well below rebalance, so that the hold leaves before the
	// coordinator throws it out.
	grace time.Duration
	// look bounds the question who has come; making room matters more.
	look time.Duration
}

// usualTiming: brokers accept sessions of 6 seconds and more, and a few lost
// heartbeats must not end a hold; rebalance covers the transaction under way.
func usualTiming() timing {
	return timing{session: 15 * time.Second, heartbeat: time.Second, rebalance: 30 * time.Second,
		parting: 10 * time.Second, grace: 10 * time.Second, look: lookTimeout}
}

// errNotAlone is a join that found other members in the group.
var errNotAlone = errors.New("other members joined at the same time")

// member is this process as the only member of a group, in the classic group
// protocol: it is the one that brokers of every version speak, that both types
// of groups accept while they are empty, and that an arriving consumer of
// either type can join.
type member struct {
	cl         *kgo.Client
	group      string
	timing     timing
	parts      map[string][]int32 // what the hold assigns itself
	id         string
	generation int32
	protocol   *string
}

// join enters the group and takes the partitions. The caller leaves, whatever
// it returns: after an error the coordinator may count the member all the same.
func (m *member) join(ctx context.Context) error {
	resp, err := m.introduce(ctx, nil)
	if err != nil {
		return err
	}
	m.id, m.generation, m.protocol = resp.MemberID, resp.Generation, resp.Protocol
	if resp.LeaderID != m.id || len(resp.Members) != 1 {
		return errNotAlone
	}
	return m.sync(ctx)
}

// introduce joins; a new member with the ID that the coordinator gives it first
// (KIP-394).
func (m *member) introduce(ctx context.Context, b *bid) (*kmsg.JoinGroupResponse, error) {
	resp, err := m.sendJoin(ctx, b)
	if errors.Is(err, kerr.MemberIDRequired) {
		m.id = resp.MemberID
		resp, err = m.sendJoin(ctx, b)
	}
	return resp, err
}

// sendJoin joins, with what a member of a team bids; nil: to be alone.
func (m *member) sendJoin(ctx context.Context, b *bid) (*kmsg.JoinGroupResponse, error) {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group = m.group
	req.MemberID = m.id
	req.SessionTimeoutMillis = int32(m.timing.session.Milliseconds())
	req.RebalanceTimeoutMillis = int32(m.timing.rebalance.Milliseconds())
	req.ProtocolType = "consumer"
	req.Reason = kmsg.StringPtr("repairing the group's commits")
	if b != nil {
		protocol := kmsg.NewJoinGroupRequestProtocol()
		protocol.Name, protocol.Metadata = togetherName, b.append(nil)
		req.Protocols = append(req.Protocols, protocol) // first: the preferred one
	}
	// A classic consumer is refused, and dies, unless it shares a protocol with
	// every member: so offer all that the Java consumer ships with.
	for _, name := range []string{"range", "roundrobin", "sticky", "cooperative-sticky"} {
		protocol := kmsg.NewJoinGroupRequestProtocol()
		protocol.Name = name
		protocol.Metadata = m.subscription()
		req.Protocols = append(req.Protocols, protocol)
	}
	resp, err := req.RequestWith(ctx, m.cl)
	if err != nil {
		return nil, err
	}
	return resp, kerr.ErrorForCode(resp.ErrorCode)
}

func (m *member) subscription() []byte {
	meta := kmsg.NewConsumerMemberMetadata()
	meta.Version = 1 // the first that cooperative assignors read
	meta.Topics = slices.Sorted(maps.Keys(m.parts))
	return meta.AppendTo(nil)
}

// sync assigns the partitions to this member. A member of the consumer
// protocol (KIP-848) that arrives is kept from partitions that are assigned,
// and from no others: so it must be all that the hold writes.
func (m *member) sync(ctx context.Context) error {
	mine := kmsg.NewSyncGroupRequestGroupAssignment()
	mine.MemberID = m.id
	mine.MemberAssignment = appendParts(m.parts, nil)
	_, err := m.sendSync(ctx, []kmsg.SyncGroupRequestGroupAssignment{mine})
	return err
}

// sendSync is what the leader has assigned to this member.
func (m *member) sendSync(ctx context.Context, dealt []kmsg.SyncGroupRequestGroupAssignment) ([]byte, error) {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = m.group, m.id, m.generation
	req.ProtocolType, req.Protocol = kmsg.StringPtr("consumer"), m.protocol
	req.GroupAssignment = dealt
	resp, err := req.RequestWith(ctx, m.cl)
	if err != nil {
		return nil, err
	}
	return resp.MemberAssignment, kerr.ErrorForCode(resp.ErrorCode)
}

// heartbeat keeps the membership alive for another session timeout.
func (m *member) heartbeat(ctx context.Context) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = m.group, m.id, m.generation
	resp, err := req.RequestWith(ctx, m.cl)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// leave makes room at once. To be no member any more is no error.
func (m *member) leave(ctx context.Context) error {
	if m.id == "" {
		return nil
	}
	me := kmsg.NewLeaveGroupRequestMember()
	me.MemberID = m.id
	me.Reason = kmsg.StringPtr("done")
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = m.group
	req.MemberID = m.id // before version 3
	req.Members = append(req.Members, me)
	err := retry(ctx, func() error {
		resp, err := req.RequestWith(ctx, m.cl)
		if err != nil {
			return err
		}
		code := resp.ErrorCode
		if code == 0 && len(resp.Members) > 0 {
			code = resp.Members[0].ErrorCode
		}
		return kerr.ErrorForCode(code)
	})
	if isGone(err) {
		return nil
	}
	return err
}

// membership is how the member commits.
func (m *member) membership() membership {
	return membership{group: m.group, id: m.id, generation: m.generation}
}
