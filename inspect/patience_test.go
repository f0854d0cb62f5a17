package inspect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// gatherWithin gathers in so much time, with a client that tries nothing twice.
func (s *scene) gatherWithin(limit time.Duration, q Query) Snapshot {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	got, err := gatherOnce(ctx, dialer(s.cluster.ListenAddrs()[0], kgo.RequestRetries(0)), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// twoGroups are groups with gaps, each coordinated by another broker.
func (s *scene) twoGroups() (on [2]string) {
	s.t.Helper()
	for i := 0; on[0] == "" || on[1] == ""; i++ {
		name := strings.Repeat("g", i+1)
		if at := s.cluster.CoordinatorFor(name); on[at] == "" {
			on[at] = name
			s.commitGaps(name, "orders", 0, "2,4-5", 9)
		}
	}
	return on
}

// silence has broker 1 hang up on who asks for its groups, until told is true.
func (s *scene) silence(told func() bool) {
	s.cluster.ControlKey(kmsg.ListGroups.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		if s.cluster.CurrentNode() != 1 || told() {
			return nil, nil, false
		}
		return nil, errors.New("hang up"), true
	})
}

func TestGatherWaitsForABrokerThatComesBack(t *testing.T) {
	s := newSceneOf(t, 2)
	on := s.twoGroups()
	var asked atomic.Int32
	s.silence(func() bool { return asked.Add(1) > 3 })
	got := s.gatherWithin(time.Minute, Query{All: true})
	if group(t, got, on[0]).Err != nil || group(t, got, on[1]).Err != nil || got.Incomplete != nil || len(got.Notices) > 0 {
		t.Errorf("groups %v, incomplete: %v, notices %q; want all, as the broker came back", names(got), got.Incomplete, got.Notices)
	}
}

func TestGatherTellsOfABrokerThatIsDown(t *testing.T) {
	s := newSceneOf(t, 2)
	on := s.twoGroups()
	s.silence(func() bool { return false })
	got := s.gatherWithin(time.Second, Query{All: true})
	if g := group(t, got, on[0]); len(got.Groups) != 1 || g.Err != nil || g.Partitions[0].LogEnd < 0 {
		t.Errorf("groups %v, want what the other broker has, read in full: %+v", names(got), g)
	}
	if !errors.Is(got.Incomplete, gapstore.ErrUnavailable) {
		t.Errorf("incomplete: %v", got.Incomplete)
	}
	said := func(text string) func(string) bool {
		return func(notice string) bool { return strings.HasPrefix(notice, text) }
	}
	// The broker may also be the one that was asked for the native topic, on the
	// connection that it has just ended.
	rest := slices.DeleteFunc(slices.Clone(got.Notices), said("groups known only from the native topic may be missing: describe topics"))
	if len(rest) != 1 || !said("groups may be missing: list the groups of broker 1")(rest[0]) {
		t.Errorf("notices %q", got.Notices)
	}
	// Who asks for it by name is not told that it does not exist, nor that
	// others may be missing.
	if got = s.gatherWithin(time.Second, Query{Groups: []string{on[0]}}); got.Incomplete != nil || len(got.Notices) > 0 {
		t.Errorf("incomplete: %v, notices %q; but all that was named was read", got.Incomplete, got.Notices)
	}
	got = s.gatherWithin(time.Second, Query{Groups: []string{"gone"}})
	if err := group(t, got, "gone").Err; !errors.Is(err, gapstore.ErrUnavailable) || errors.Is(err, gapstore.ErrNotFound) {
		t.Errorf("the error of a group that the broker may have is %v", err)
	}
}

func TestGatherWaitsForALeader(t *testing.T) {
	for _, each := range []bool{false, true} {
		s := newScene(t)
		s.fill("orders", 0, 10)
		s.commitGaps("billing", "orders", 0, "2,4-5", 9)
		s.commitGaps("shipping", "emails", 0, "2,4-5", 9)
		var asked atomic.Int32
		s.changeMetadata(func(topic *kmsg.MetadataResponseTopic) {
			for i := range topic.Partitions {
				if p := &topic.Partitions[i]; *topic.Topic == "orders" {
					p.Leader, p.ErrorCode = -1, kerr.LeaderNotAvailable.Code
				}
			}
		}, func() bool { return asked.Add(1) <= 6 })
		var told []string
		q := Query{All: true}
		if each {
			q.Each = func(g *Group) { told = append(told, g.Name) }
		}
		got := s.gatherWithin(time.Minute, q)
		if each {
			if strings.Join(told, " ") != "billing shipping" {
				t.Errorf("told %v, want each group once, in order", told)
			}
			continue
		}
		if p := group(t, got, "billing").Partitions[0]; p.Err != nil || p.LogEnd != 10 || p.OldestGapAt.IsZero() || len(got.Groups) != 2 {
			t.Errorf("groups %v, and the partition whose leader came back: %+v", names(got), p)
		}
	}
}

// A group that no broker lists, as its coordinator has just moved, is found by
// its name, whatever its type.
func TestGatherFindsWhatIsNotListed(t *testing.T) {
	s := newScene(t)
	s.commit("classic", "orders", 0, 3, "")
	member, err := dialer(s.cluster.ListenAddrs()[0], kgo.ShareGroup("share"), kgo.ConsumeTopics("orders"))()
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	for group(t, s.gather(Query{Groups: []string{"share"}}), "share").Err != nil {
		time.Sleep(10 * time.Millisecond) // until it has joined
	}
	s.cluster.ControlKey(kmsg.ListGroups.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		return req.ResponseKind(), nil, true
	})
	got := s.gather(Query{Groups: []string{"classic", "gone", "share"}})
	for _, want := range []struct {
		name, kind string
		members    int
		err        error
	}{{"classic", "", 0, nil}, {"gone", "", 0, gapstore.ErrNotFound}, {"share", "share", 1, nil}} {
		if g := group(t, got, want.name); g.Type != want.kind || len(g.Members) != want.members || !errors.Is(g.Err, want.err) {
			t.Errorf("%s: %q, %d members, %v", g.Name, g.Type, len(g.Members), g.Err)
		}
	}
}

// TestGatherDoesNotWaitForAnOfflinePartition: no leader comes up as long as nobody
// starts a broker that may lead it.
func TestGatherDoesNotWaitForAnOfflinePartition(t *testing.T) {
	s := newScene(t)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	var asked atomic.Int32
	s.changeMetadata(func(topic *kmsg.MetadataResponseTopic) {
		for i := range topic.Partitions {
			p := &topic.Partitions[i]
			p.Leader, p.ErrorCode = -1, kerr.LeaderNotAvailable.Code
			p.Replicas, p.ISR, p.OfflineReplicas = []int32{7, 8, 9}, []int32{9, 7}, []int32{7, 9}
		}
	}, func() bool { asked.Add(1); return true })
	got := s.gatherWithin(time.Minute, Query{All: true})
	err := group(t, got, "billing").Partitions[0].Err
	known, _ := errors.AsType[*gapstore.Error](err)
	if !errors.Is(err, gapstore.ErrUnavailable) || !errors.Is(err, gapstore.ErrOffline) || known.Hint != "start broker 7 or 9" {
		t.Errorf("%v (%+v)", err, known)
	}
	if n := asked.Load(); n > 4 { // two to connect, one for the native topic
		t.Errorf("asked %d times", n)
	}
}

// TestGatherDoesNotWaitForAnOfflineNativeTopic: it tells at once what is missing.
func TestGatherDoesNotWaitForAnOfflineNativeTopic(t *testing.T) {
	s := newScene(t)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	s.commitNative("shipping", "orders", "3-5,9", 20)
	var asked atomic.Int32
	s.changeMetadata(func(topic *kmsg.MetadataResponseTopic) {
		for i := range topic.Partitions {
			if p := &topic.Partitions[i]; *topic.Topic == codec.NativeTopic {
				p.Leader, p.ErrorCode = -1, kerr.LeaderNotAvailable.Code
				p.Replicas, p.ISR, p.OfflineReplicas = []int32{7}, []int32{7}, []int32{7}
			}
		}
	}, func() bool { asked.Add(1); return true })
	got := s.gatherWithin(time.Minute, Query{All: true})
	if !errors.Is(got.Incomplete, gapstore.ErrOffline) || !errors.Is(got.Incomplete, gapstore.ErrUnavailable) {
		t.Errorf("incomplete: %v", got.Incomplete)
	}
	// Its native commits, if it has any, would say something else.
	if g := group(t, got, "billing"); !errors.Is(g.Err, gapstore.ErrOffline) {
		t.Errorf("%+v", g)
	}
	if n := asked.Load(); n > 6 {
		t.Errorf("asked %d times", n)
	}
}

// TestPatienceSaysWhatItWaitsFor: once, and not before it takes long.
func TestPatienceSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		begun, why := time.Now(), errors.New("broker 2 is down")
		var said []time.Duration
		p := newPatience(ctx, &Query{Waiting: func(told error, most time.Duration) {
			if told != why || most > 8*time.Second || most < 6*time.Second {
				t.Errorf("%v, for %v more", told, most)
			}
			said = append(said, time.Since(begun))
		}})
		for p.again(ctx, why, false) {
		}
		if len(said) != 1 || said[0] < quietly || said[0] > quietly+mostPause {
			t.Errorf("said after %v", said)
		}
		if waited := time.Since(begun); waited < 9*time.Second || waited > 10*time.Second {
			t.Errorf("waited for %v, want two thirds of the time", waited)
		}
	})
}
