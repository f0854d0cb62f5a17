package inspect

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/gapctl/gapctl/gapstore"
)

func TestGatherWithoutLeader(t *testing.T) {
	s := newScene(t)
	s.fill("orders", 0, 10)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	s.commitGaps("billing", "orders", 1, "2,4-5", 9)
	s.changeMetadata(func(topic *kmsg.MetadataResponseTopic) {
		for i := range topic.Partitions {
			if p := &topic.Partitions[i]; p.Partition == 1 {
				p.Leader, p.ErrorCode = -1, kerr.LeaderNotAvailable.Code
			}
		}
	}, func() bool { return true })
	g := group(t, s.gather(Query{All: true}), "billing")
	led, leaderless := &g.Partitions[0], &g.Partitions[1]
	if led.Err != nil || led.LogEnd != 10 || led.OldestGapAt.IsZero() {
		t.Errorf("the partition with a leader: %+v", led)
	}
	if !errors.Is(leaderless.Err, gapstore.ErrUnavailable) || !leaderless.HasState() || leaderless.State.Gaps.String() != "2,4-5" || leaderless.LogEnd != -1 {
		t.Errorf("the partition without: %+v", leaderless)
	}
	if leaderless.Lag() != -1 || kinds(leaderless) != "" || g.Level() != LevelError {
		t.Errorf("lag %d, findings %q, level %s", leaderless.Lag(), kinds(leaderless), g.Level())
	}
}

// changeMetadata answers metadata requests with changed topics, where holds is
// true at the time.
func (s *scene) changeMetadata(change func(*kmsg.MetadataResponseTopic), holds func() bool) {
	s.t.Helper()
	all := kmsg.NewPtrMetadataRequest()
	all.Topics = nil
	known, err := all.RequestWith(s.t.Context(), s.client)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range known.Topics {
		change(&known.Topics[i])
	}
	s.cluster.ControlKey(kmsg.Metadata.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		if !holds() {
			return nil, nil, false
		}
		resp := *known
		resp.Version = kreq.GetVersion()
		return &resp, nil, true
	})
}

func TestGatherDenied(t *testing.T) {
	s := newScene(t)
	s.commit("billing", "orders", 0, 3, "")
	s.commit("shipping", "orders", 0, 3, "")
	s.cluster.ControlKey(kmsg.OffsetFetch.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.OffsetFetchRequest)
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, g := range req.Groups {
			rg := kmsg.NewOffsetFetchResponseGroup()
			if rg.Group = g.Group; g.Group == "billing" {
				rg.ErrorCode = kerr.GroupAuthorizationFailed.Code
			}
			resp.Groups = append(resp.Groups, rg)
		}
		return resp, nil, true
	})
	got := s.gather(Query{All: true, GapsOnly: true})
	if want := []string{"billing"}; !slices.Equal(names(got), want) {
		t.Fatalf("groups %v, want %v: what can not be read may hold gaps", names(got), want)
	}
	if err := got.Groups[0].Err; !errors.Is(err, gapstore.ErrDenied) {
		t.Errorf("error %v, want ErrDenied", err)
	}
}

func TestGatherNamedGroupDenied(t *testing.T) {
	s := newScene(t)
	s.cluster.ControlKey(kmsg.DescribeGroups.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		resp := kreq.ResponseKind().(*kmsg.DescribeGroupsResponse)
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group, g.ErrorCode = "secret", kerr.GroupAuthorizationFailed.Code
		resp.Groups = append(resp.Groups, g)
		return resp, nil, true
	})
	if err := group(t, s.gather(Query{Groups: []string{"secret"}}), "secret").Err; !errors.Is(err, gapstore.ErrDenied) {
		t.Errorf("error %v, want ErrDenied: a group that may not be seen is not listed", err)
	}
}

func TestGatherLeavesNothingBehind(t *testing.T) {
	s := newScene(t)
	s.fill("orders", 0, 10)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	s.client.Close() // or else the fake broker begins to wait for its next request
	running := goleak.IgnoreCurrent()
	store, err := gapstore.Open(t.Context(), dialer(s.cluster.ListenAddrs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 {
		if _, err := Gather(ctx, store, Query{All: true}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if _, err := Gather(ctx, store, Query{All: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, but the error is %v", err)
	}
	store.Close()
	// The broker's goroutines for the connections end when it sees them closed.
	goleak.VerifyNone(t, running)
}
