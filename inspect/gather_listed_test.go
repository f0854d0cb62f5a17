package inspect

import (
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestGatherAsksWhoListed: the broker that lists a group is the one to ask about
// it; only where two do is its coordinator looked for.
func TestGatherAsksWhoListed(t *testing.T) {
	s := newSceneOf(t, 2)
	on := s.twoGroups()
	var looked, twice atomic.Int32
	s.cluster.ControlKey(kmsg.FindCoordinator.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		looked.Add(1)
		return nil, nil, false
	})
	whole := func(asked int32) {
		t.Helper()
		looked.Store(0)
		got := s.gather(Query{All: true, SkipAges: true})
		for _, name := range on {
			if g := group(t, got, name); g.Err != nil || len(g.Partitions) != 1 {
				t.Errorf("group %s: %+v", name, g)
			}
		}
		if n := looked.Load(); n != asked {
			t.Errorf("looked for coordinators %d times, want %d", n, asked)
		}
	}
	whole(0)
	s.cluster.ControlKey(kmsg.ListGroups.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		twice.Add(1)
		resp := req.ResponseKind().(*kmsg.ListGroupsResponse)
		for _, name := range on {
			g := kmsg.NewListGroupsResponseGroup()
			g.Group, g.ProtocolType, g.GroupState = name, "consumer", "Empty"
			resp.Groups = append(resp.Groups, g)
		}
		return resp, nil, true
	})
	whole(2) // to describe them, and for their commits
	if twice.Load() != 2 {
		t.Errorf("%d brokers were asked for their groups, want 2", twice.Load())
	}
}
