package gapstore

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/gapctl/gapctl/codec"
)

func TestLoadTellsEveryCommit(t *testing.T) {
	c := fakeCluster(t, "orders", "emails")
	addr := c.ListenAddrs()[0]
	commitTo(t, addr, "billing", "orders", 1, 10, gapsOf(t, 10, 20, "10,13-15"))
	commitTo(t, addr, "billing", "orders", 0, 5, "")
	commitTo(t, addr, "billing", "emails", 0, 7, "done by hand")
	commitTo(t, addr, "billing", "emails", 1, 7, "bAA=")
	s := openStore(t, addr)
	got := loadGroup(t, s, "billing")
	if got.Err != nil || len(got.Entries) != 4 {
		t.Fatalf("entries %v, error %v", got.Entries, got.Err)
	}
	unknown, corrupt, plain, gaps := got.Entries[0], got.Entries[1], got.Entries[2], got.Entries[3]
	if unknown.Key != (Key{"billing", "emails", 0}) || !errors.Is(unknown.Err, codec.ErrUnknownFormat) || unknown.Raw != "done by hand" || unknown.HasState() || unknown.Committed != 7 {
		t.Errorf("unknown metadata: %+v", unknown)
	}
	if !errors.Is(corrupt.Err, codec.ErrCorrupt) || corrupt.HasState() || corrupt.Format != "parallel-consumer" {
		t.Errorf("corrupt metadata: %+v", corrupt)
	}
	if plain.Err != nil || plain.Format != "" || !plain.State.Equal(codec.Complete(5)) {
		t.Errorf("plain commit: %+v", plain)
	}
	if gaps.Err != nil || gaps.Format != "parallel-consumer" || gaps.State.Gaps.String() != "10,13-15" || gaps.State.Max != 20 {
		t.Errorf("commit with gaps: %+v", gaps)
	}
	if gaps.Size != len(gaps.Raw) || gaps.SizeLimit != 4096 || gaps.Home != HomeCommit {
		t.Errorf("size %d of %d, home %s", gaps.Size, gaps.SizeLimit, gaps.Home)
	}
}

func TestLoadKeepsToWantedPartitions(t *testing.T) {
	c := fakeCluster(t, "orders")
	addr := c.ListenAddrs()[0]
	commitTo(t, addr, "billing", "orders", 0, 5, "")
	commitTo(t, addr, "billing", "orders", 1, 6, "")
	s := openStore(t, addr)
	loaded, _ := s.Load(t.Context(), []Ref{{Group: "billing"}}, func(_ string, partition int32) bool { return partition == 1 })
	if got := loaded[0].Entries; len(got) != 1 || got[0].Partition != 1 {
		t.Errorf("entries %v, want partition 1 only", got)
	}
}

// More groups than one request takes, in an order that is not the brokers'.
func TestLoadManyGroupsInOrder(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var refs []Ref
	for i := range 2*groupsPerFetch + 5 {
		group := fmt.Sprintf("group-%d", 100-i)
		commitTo(t, c.ListenAddrs()[0], group, "orders", 0, int64(i), "")
		refs = append(refs, Ref{Group: group})
	}
	s := openStore(t, c.ListenAddrs()...)
	loaded, _ := s.Load(t.Context(), refs, nil)
	for i, l := range loaded {
		if l.Err != nil || l.Group != refs[i].Group || len(l.Entries) != 1 || l.Entries[0].Committed != int64(i) {
			t.Errorf("group %d: %+v, want %s at %d", i, l, refs[i].Group, i)
		}
	}
}

func TestLoadFromOldBrokers(t *testing.T) {
	for name, versions := range map[string]*kversion.Versions{
		"0.11": kversion.V0_11_0(), "2.8": kversion.V2_8_0(), "3.0": kversion.V3_0_0(), "3.9": kversion.V3_9_0(),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"), kfake.MaxVersions(versions))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			addr := c.ListenAddrs()[0]
			commitTo(t, addr, "billing", "orders", 0, 10, gapsOf(t, 10, 20, "10,13-15"))
			commitTo(t, addr, "shipping", "orders", 0, 3, "")
			s := openStore(t, addr)
			loaded, _ := s.Load(t.Context(), []Ref{{Group: "billing"}, {Group: "shipping"}}, nil)
			for i, want := range []string{"10,13-15", ""} {
				l := loaded[i]
				if l.Err != nil || len(l.Entries) != 1 || l.Entries[0].State.Gaps.String() != want {
					t.Errorf("%s: %+v, want gaps %q", l.Group, l, want)
				}
			}
		})
	}
}

func TestLoadTellsPendingCommits(t *testing.T) {
	c := fakeCluster(t, "orders")
	addr := c.ListenAddrs()[0]
	commitTo(t, addr, "billing", "orders", 0, 5, "")
	commitTo(t, addr, "billing", "orders", 1, 6, "")
	s := openStore(t, addr)
	c.ControlKey(kmsg.OffsetFetch.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := kreq.(*kmsg.OffsetFetchRequest)
		if !req.RequireStable {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, g := range req.Groups {
			rg := kmsg.NewOffsetFetchResponseGroup()
			rg.Group = g.Group
			rt := kmsg.NewOffsetFetchResponseGroupTopic()
			rt.Topic = "orders"
			for partition, code := range []int16{0, kerr.UnstableOffsetCommit.Code} {
				rp := kmsg.NewOffsetFetchResponseGroupTopicPartition()
				rp.Partition, rp.Offset, rp.ErrorCode = int32(partition), -1, code
				rt.Partitions = append(rt.Partitions, rp)
			}
			rg.Topics = append(rg.Topics, rt)
			resp.Groups = append(resp.Groups, rg)
		}
		return resp, nil, true
	})
	got := loadGroup(t, s, "billing")
	if got.Err != nil || len(got.Entries) != 2 {
		t.Fatalf("%+v", got)
	}
	if e := got.Entries[0]; e.Pending || e.Committed != 5 {
		t.Errorf("partition 0: %+v, want 5 and nothing pending", e)
	}
	if e := got.Entries[1]; !e.Pending || e.Committed != 6 {
		t.Errorf("partition 1: %+v, want 6 and a change pending", e)
	}
}

// failGroups answers the next n OffsetFetch requests with an error per group.
func failGroups(c *kfake.Cluster, n int64, code int16) *atomic.Int64 {
	var asked atomic.Int64
	c.ControlKey(kmsg.OffsetFetch.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if asked.Add(1) > n {
			return nil, nil, false
		}
		req := kreq.(*kmsg.OffsetFetchRequest)
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, g := range req.Groups {
			rg := kmsg.NewOffsetFetchResponseGroup()
			rg.Group, rg.ErrorCode = g.Group, code
			resp.Groups = append(resp.Groups, rg)
		}
		return resp, nil, true
	})
	return &asked
}

func TestLoadFollowsAMovingCoordinator(t *testing.T) {
	c := fakeCluster(t, "orders")
	commitTo(t, c.ListenAddrs()[0], "billing", "orders", 0, 5, "")
	s := openStore(t, c.ListenAddrs()...)
	asked := failGroups(c, 2, kerr.NotCoordinator.Code)
	got := loadGroup(t, s, "billing")
	if got.Err != nil || len(got.Entries) != 1 || asked.Load() != 3 {
		t.Errorf("%+v after %d requests, want one entry after 3", got, asked.Load())
	}
}

func TestLoadDenied(t *testing.T) {
	c := fakeCluster(t, "orders")
	commitTo(t, c.ListenAddrs()[0], "billing", "orders", 0, 5, "")
	s := openStore(t, c.ListenAddrs()...)
	asked := failGroups(c, 1<<20, kerr.GroupAuthorizationFailed.Code)
	got := loadGroup(t, s, "billing")
	var failure *Error
	if !errors.As(got.Err, &failure) || failure.Class != ErrDenied || failure.Hint == "" || !strings.Contains(failure.Op, "billing") {
		t.Errorf("error %#v, want ErrDenied with a hint", got.Err)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times: a refusal is no reason to ask again", asked.Load())
	}
}

// An answer that leaves out what was asked, and tells what was not, is an error
// of what was asked and no more.
func TestLoadWithoutAnAnswer(t *testing.T) {
	c := fakeCluster(t, "orders")
	commitTo(t, c.ListenAddrs()[0], "billing", "orders", 0, 5, "")
	s := openStore(t, c.ListenAddrs()...)
	c.ControlKey(kmsg.FindCoordinator.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.FindCoordinatorResponse)
		other := kmsg.NewFindCoordinatorResponseCoordinator()
		other.Key = "somebody else"
		resp.Coordinators = append(resp.Coordinators, other)
		return resp, nil, true
	})
	got := loadGroup(t, s, "billing")
	if got.Err == nil || len(got.Entries) != 0 {
		t.Errorf("%+v, want an error", got)
	}
}
