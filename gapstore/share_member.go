package gapstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shareMember is this process as a member of a share group.
type shareMember struct {
	client *kgo.Client
	group  string
	id     string
	topics []string
	epoch  int32
	every  time.Duration // between heartbeats
}

// newMemberID is a Kafka Uuid, which members of share groups name themselves.
func newMemberID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// heartbeat joins with epoch 0, and leaves with epoch -1.
func (m *shareMember) heartbeat(ctx context.Context, epoch int32) error {
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = m.group, m.id, epoch
	if epoch == 0 {
		req.SubscribedTopicNames = m.topics
	}
	resp, err := req.RequestWith(ctx, m.client)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err == nil {
		m.epoch, m.every = resp.MemberEpoch, time.Duration(max(100, resp.HeartbeatIntervalMillis))*time.Millisecond
	}
	return err
}

// stay sends heartbeats until leave is called, which leaves the group.
func (m *shareMember) stay(ctx context.Context) (leave func()) {
	beating, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() {
		for {
			select {
			case <-beating.Done():
				return
			case <-time.After(m.every):
				_ = m.heartbeat(beating, m.epoch) // what matters is whether acknowledging works
			}
		}
	})
	return func() {
		stop()
		beats.Wait()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_ = m.heartbeat(ctx, -1) // the session times out if this is lost
	}
}
