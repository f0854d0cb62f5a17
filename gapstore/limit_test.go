package gapstore

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestLimitsKeepNobodyWaiting: commits are asked for while a broker takes its time
// to tell its limits.
func TestLimitsKeepNobodyWaiting(t *testing.T) {
	c := fakeCluster(t, "orders")
	s := openStore(t, c.ListenAddrs()...)
	asked, answer, free := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.ControlKey(kmsg.DescribeConfigs.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		close(asked)
		c.SleepControl(func() { <-answer })
		return nil, nil, false
	})
	known := make(chan limits, 1)
	go func() { known <- s.brokerLimits(t.Context()) }()
	<-asked
	go func() {
		s.listers(kindGroupCoordinator, []string{"billing"})
		close(free)
	}()
	select {
	case <-free:
	case <-time.After(10 * time.Second):
		t.Error("who asks for commits waits for the limits")
	}
	close(answer)
	if l := <-known; l.metadata != defaultMetadataLimit {
		t.Errorf("limits %+v", l)
	}
}
