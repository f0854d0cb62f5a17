package gapstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// A broker that starts again has forgotten all but one of the protocols of a
// hold. A consumer that has another one comes in all the same, and the hold makes
// room.
func TestKafkaConsumerComesAfterTheCoordinatorRestarted(t *testing.T) {
	b := kafkatest.Start(t)
	s := &scene{t: t, addrs: []string{b.Addr()}, group: "moved", topic: "in", out: "out", timing: usualTiming()}
	s.timing.session = 5 * time.Minute // no less than the start may take
	b.CreateTopic(s.topic, 2, nil)
	b.Fill(s.topic, 2, 30)
	s.prepare()
	h := s.acquire(s.dial)
	b.Kill()
	b.Restart()
	await(t, "the hold's next join", func() bool {
		h.turn <- struct{}{}
		defer func() { <-h.turn }()
		return h.member.generation > 1
	})
	if err := h.Commit(t.Context(), s.change()); err != nil {
		t.Errorf("commit after the restart: %v", err)
	}
	consumer := s.client(kgo.ConsumerGroup(s.group), kgo.ConsumeTopics(s.topic), kgo.Balancers(kgo.CooperativeStickyBalancer()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for { // a poll may also tell that the group is moving
		fetches := consumer.PollFetches(ctx)
		if fetches.NumRecords() > 0 {
			break
		}
		if err := fetches.Err(); errors.Is(err, kerr.InconsistentGroupProtocol) || ctx.Err() != nil {
			t.Fatalf("the consumer got no records: %v", err)
		}
	}
	select {
	case <-h.Lost():
	case <-ctx.Done():
		t.Error("the hold does not make room")
	}
}
