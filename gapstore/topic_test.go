package gapstore

import (
	"errors"
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

func TestLeaderError(t *testing.T) {
	const none, replica, access = int16(5), int16(9), int16(29) // Kafka's error codes
	for name, c := range map[string]struct {
		leader                 int32
		code                   int16
		replicas, isr, offline []int32
		want                   error  // nil: it can be asked
		hint                   string // of [ErrOffline]
	}{
		"led":                        {1, 0, []int32{1, 2}, []int32{1, 2}, nil, nil, ""},
		"led, another is down":       {1, replica, []int32{1, 2}, []int32{1}, []int32{2}, nil, ""},
		"elects":                     {-1, none, []int32{1, 2}, []int32{1, 2}, []int32{1}, ErrUnavailable, ""},
		"elects, as old brokers say": {-1, 0, []int32{1, 2}, []int32{1, 2}, nil, ErrUnavailable, ""},
		"its only one is down":       {-1, none, []int32{3}, []int32{3}, []int32{3}, ErrOffline, "start broker 3"},
		"the one in sync is down":    {-1, 0, []int32{1, 2}, []int32{2}, []int32{2}, ErrOffline, "start broker 2"},
		"all are, none in sync":      {-1, none, []int32{3, 1, 2}, nil, []int32{1, 2, 3}, ErrOffline, "start broker 1, 2 or 3"},
		"not in sync is not enough":  {-1, none, []int32{1, 2}, nil, []int32{1}, ErrUnavailable, ""},
		"no right":                   {-1, access, []int32{1}, []int32{1}, []int32{1}, ErrDenied, ""},
	} {
		p := kmsg.MetadataResponseTopicPartition{
			ErrorCode: c.code, Leader: c.leader, Replicas: c.replicas, ISR: c.isr, OfflineReplicas: c.offline,
		}
		err := leaderError("orders", &p)
		if !errors.Is(err, c.want) || errors.Is(err, ErrOffline) != (c.want == ErrOffline) {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != ErrOffline {
			continue
		}
		if known, ok := errors.AsType[*Error](err); !ok || known.Hint != c.hint || !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v, hint %q", name, err, known.Hint)
		}
	}
}
