package lab

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The live member: the group protocol has the client choose the ID (KIP-1082).
const (
	liveClient = "checkout-1"
	liveMember = "checkout-1-member"
	liveTopic  = "payments"
)

// member is a consumer that stays in its group and does nothing there.
type member struct {
	client *kgo.Client
	stop   context.CancelFunc
	done   chan struct{}
	owned  []kmsg.ConsumerGroupHeartbeatRequestTopic // assigned, to be confirmed
	epoch  int32
}

// join has the live member join, and keeps it there until [member.leave].
func join(ctx context.Context, addr string) (*member, error) {
	client, err := kgo.NewClient(clientOptions(addr, liveClient)...)
	if err != nil {
		return nil, err
	}
	m := &member{client: client, done: make(chan struct{})}
	pause, err := m.heartbeat(ctx)
	if err == nil {
		pause, err = m.heartbeat(ctx) // confirms the assignment: the group is stable
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	go m.stay(ctx, pause)
	return m, nil
}

func (m *member) stay(ctx context.Context, pause time.Duration) {
	defer close(m.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		// An error leaves the pause as it was: the next heartbeat tries again.
		if next, err := m.heartbeat(ctx); err == nil {
			pause = next
		}
	}
}

// heartbeat joins, or says that the member is still there, and confirms what it
// was assigned. It returns the time until the next.
func (m *member) heartbeat(ctx context.Context) (time.Duration, error) {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = liveGroup, liveMember, m.epoch
	req.RebalanceTimeoutMillis = 45000
	req.SubscribedTopicNames = []string{liveTopic}
	req.Topics = m.owned
	if m.owned == nil {
		req.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	}
	resp, err := req.RequestWith(ctx, m.client)
	if err != nil {
		return 0, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		m.epoch, m.owned = 0, nil // fenced or forgotten: join anew
		return 0, err
	}
	m.epoch = resp.MemberEpoch
	if resp.Assignment != nil {
		m.owned = nil
		for _, t := range resp.Assignment.Topics {
			o := kmsg.NewConsumerGroupHeartbeatRequestTopic()
			o.TopicID, o.Partitions = t.TopicID, t.Partitions
			m.owned = append(m.owned, o)
		}
	}
	return time.Duration(resp.HeartbeatIntervalMillis) * time.Millisecond, nil
}

// leave stops the member without leaving the group: the cluster ends with it,
// or keeps it for the next start. On nil it does nothing.
func (m *member) leave() {
	if m == nil {
		return
	}
	m.stop()
	<-m.done
	m.client.Close()
}
