package gapstore

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// moves notices that the group's coordinator may no longer be the process that
// took the last join: another broker answers, or there was no answer for a while.
//
// A coordinator that has read the group from its log knows of each member only
// the protocol that the group has chosen (GroupMetadataManager.replay): of all
// that a hold offers, "range". It would refuse a consumer that has another one
// with INCONSISTENT_GROUP_PROTOCOL, which kills it, where it should wait for the
// hold to make room. So the hold joins again, and offers all of them again.
type moves struct {
	node  atomic.Int32 // that answered last
	gaps  atomic.Int64 // in the answers, so far
	known struct {     // at the last join, of whoever joins
		node int32
		gaps int64
	}
}

var (
	_ kgo.HookBrokerConnect = (*moves)(nil)
	_ kgo.HookBrokerE2E     = (*moves)(nil)
)

// OnBrokerConnect is a kgo hook.
func (m *moves) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		m.gaps.Add(1)
	}
}

// OnBrokerE2E is a kgo hook.
func (m *moves) OnBrokerE2E(meta kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch kmsg.Key(key) {
	case kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat:
	default:
		return
	}
	if e2e.Err() != nil {
		m.gaps.Add(1)
		return
	}
	m.node.Store(meta.NodeID)
}

// note takes the coordinator as it is now for the one that knows all.
func (m *moves) note() { m.known.node, m.known.gaps = m.node.Load(), m.gaps.Load() }

// moved tells whether it may be another one since.
func (m *moves) moved() bool { return m.known.node != m.node.Load() || m.known.gaps != m.gaps.Load() }

var errMoved = errors.New("its coordinator has moved")

// settleIn joins again where the coordinator has moved, unless a commit takes
// long: then after the next heartbeat. The membership goes on, so that nobody can
// have come and gone meanwhile. Who shares the hold with others has it shared out
// anew.
func (h *Hold) settleIn(ctx context.Context, t *tenure) {
	if h.team != nil {
		h.lose(t, errMoved)
		return
	}
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return
	case <-time.After(h.member.timing.heartbeat):
		return
	}
	if h.left {
		return
	}
	err := h.joinAgain(ctx)
	switch {
	case err == nil:
		h.moves.note()
	case errors.Is(err, errNotAlone):
		h.lose(t, h.whoCame(err))
	case ctx.Err() == nil:
		h.lose(t, err)
	}
}

// joinAgain is as patient with the coordinator as it is with its members.
func (h *Hold) joinAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.member.timing.session)
	defer cancel()
	for {
		err := h.member.join(ctx)
		ke, answered := errors.AsType[*kerr.Error](err)
		if err == nil || errors.Is(err, errNotAlone) || answered && (!ke.Retriable || isGone(err)) || ctx.Err() != nil {
			return err
		}
		pause(ctx, retryEvery)
	}
}
