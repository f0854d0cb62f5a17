package gapstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A member that can't begin, since another one's transaction is open, says whose.
func TestConsumerTellsWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	n := newNativeScene(t)
	n.begin("another", n.records("billing", n.ids["orders"], 1, "7"))
	open := n.begin(transactionalID("billing")+"-dead", n.records("billing", n.ids["orders"], 0, "3-5"))
	c, err := NewConsumer(t.Context(), dialTo(n.cluster.ListenAddrs()...), ConsumerOptions{Group: "billing", Topics: []string{"orders"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	poll := func(limit time.Duration) string {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := c.Poll(ctx, 0)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("poll: %v", err)
		}
		return err.Error()
	}
	if told := poll(tellAfter / 10); strings.Contains(told, "waiting") {
		t.Errorf("it told at once: %s", told)
	}
	told := poll(tellAfter + time.Second)
	if !strings.Contains(told, `waiting for the end of transaction "gapctl-billing-dead" (producer `) || strings.Contains(told, "another") {
		t.Errorf("it told %s", told)
	}
	n.end(open, kgo.TryAbort)
}
