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
	whole(1) // for their commits: those that are listed as empty are not described
	if twice.Load() != 2 {
		t.Errorf("%d brokers were asked for their groups, want 2", twice.Load())
	}
}

// TestGatherDescribes: who is in a group is asked, unless the list says that it
// is empty; and of a Kafka that does not list states, it is asked in any case.
func TestGatherDescribes(t *testing.T) {
	s := newScene(t)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	described, _ := s.counts(kmsg.DescribeGroups, func(kmsg.Request) []string { return nil })
	for state, want := range map[string]int{"Empty": 0, "Stable": 1, "": 1} {
		s.cluster.ControlKey(kmsg.ListGroups.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			resp := req.ResponseKind().(*kmsg.ListGroupsResponse)
			g := kmsg.NewListGroupsResponseGroup()
			g.Group, g.ProtocolType, g.GroupState = "billing", "consumer", state
			resp.Groups = append(resp.Groups, g)
			return resp, nil, true
		})
		*described = 0
		g := group(t, s.gather(Query{All: true, SkipAges: true}), "billing")
		if *described != want || g.State != "Empty" || len(g.Partitions) != 1 || g.Err != nil {
			t.Errorf("listed as %q: described %d times, want %d: %+v", state, *described, want, g)
		}
	}
}
