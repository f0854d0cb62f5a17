package gapstore

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestEndsWithoutAnAnswer(t *testing.T) {
	c := fakeCluster(t, "orders")
	s := openStore(t, c.ListenAddrs()...)
	c.ControlKey(kmsg.ListOffsets.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return kreq.ResponseKind(), nil, true
	})
	topics, err := s.Topics(t.Context(), []string{"orders"})
	if err != nil {
		t.Fatal(err)
	}
	s.Ends(t.Context(), topics, map[string][]int32{"orders": {1}})
	if asked, other := topics["orders"].Logs[1], topics["orders"].Logs[0]; asked.Err == nil || other.Err != nil {
		t.Errorf("asked for %+v, not for %+v; want an error of the first only", asked, other)
	}
}
