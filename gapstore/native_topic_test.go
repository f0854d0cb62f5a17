package gapstore

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A broker that has not heard yet of the topic that another has just created is
// no reason to give up: NewConsumer tries again, for members that start together.
func TestEnsureWhileTheNewsSpreads(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, "orders")
	store := openStore(t, c.ListenAddrs()...)
	c.ControlKey(kmsg.DescribeConfigs.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		resp := kreq.ResponseKind().(*kmsg.DescribeConfigsResponse)
		r := kmsg.NewDescribeConfigsResponseResource()
		r.ErrorCode = kerr.UnknownTopicOrPartition.Code
		resp.Resources = append(resp.Resources, r)
		return resp, nil, true
	}) // once
	if _, err := store.Ensure(t.Context(), NativeOptions{}); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrNotFound) {
		t.Fatalf("%v is not unavailable", err)
	}
	if _, err := store.Ensure(t.Context(), NativeOptions{}); err != nil {
		t.Fatal(err)
	}
}
