package gapstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// joinTogether enters the group with b, or enters it again, and is what the
// member is given, and whether it is the one that has dealt. Where there are
// other members than those that hold the group together, the error is
// errNotAlone. The caller leaves, whatever it returns.
func (m *member) joinTogether(ctx context.Context, b bid) (parts map[string][]int32, leads bool, err error) {
	resp, err := m.introduce(ctx, &b)
	if errors.Is(err, kerr.InconsistentGroupProtocol) {
		return nil, false, fmt.Errorf("%w: %w", errNotAlone, err)
	}
	if err != nil {
		return nil, false, err
	}
	m.id, m.generation, m.protocol = resp.MemberID, resp.Generation, resp.Protocol
	// A group that has become one of the consumer protocol (KIP-848) has no
	// leader: its broker deals.
	if deref(resp.Protocol) != togetherName || resp.LeaderID == "" {
		return nil, false, errNotAlone
	}
	var dealt []kmsg.SyncGroupRequestGroupAssignment
	if leads = resp.LeaderID == m.id; leads {
		if dealt, err = dealOut(resp.Members); err != nil {
			return nil, false, err
		}
	}
	assigned, err := m.sendSync(ctx, dealt)
	if err != nil {
		return nil, false, err
	}
	parts, err = parseParts(assigned)
	return parts, leads, err
}

// dealOut is the leader's part. From here on nobody can write any more who was
// given anything earlier.
func dealOut(members []kmsg.JoinGroupResponseMember) ([]kmsg.SyncGroupRequestGroupAssignment, error) {
	bids := make(map[string]bid, len(members))
	for _, m := range members {
		b, err := parseBid(m.ProtocolMetadata)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w; do all run the same version of gapctl?", m.MemberID, err)
		}
		bids[m.MemberID] = b
	}
	var dealt []kmsg.SyncGroupRequestGroupAssignment
	for name, parts := range deal(bids) {
		one := kmsg.NewSyncGroupRequestGroupAssignment()
		one.MemberID, one.MemberAssignment = name, appendParts(parts, nil)
		dealt = append(dealt, one)
	}
	return dealt, nil
}
