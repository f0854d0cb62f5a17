package inspect

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/lab"
)

func TestGatherTheLab(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := gatherOnce(t.Context(), dialer(l.Addr()), Query{All: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(names(s)) || len(s.Groups) != len(lab.Samples()) || len(s.Notices) > 0 || s.ClusterID != lab.ClusterID {
		t.Fatalf("groups %v, notices %q, cluster %s", names(s), s.Notices, s.ClusterID)
	}
	for _, want := range []struct {
		group, kind               string
		members                   int
		outstanding, lag, trueLag int64
		level                     Level
	}{
		{"billing", "classic", 0, 31, 1113, 31, LevelOK},
		{"checkout", "consumer", 1, 3, 42, 3, LevelOK},
		{"email-sender", "share", 0, 2, 47, 22, LevelWarn},
		{"coupons", "classic", 0, 4, -1, -1, LevelWarn},
		{"legacy-import", "classic", 0, -1, -1, -1, LevelWarn},
	} {
		g := group(t, s, want.group)
		if g.Err != nil || g.Type != want.kind || len(g.Members) != want.members || g.Level() != want.level ||
			g.Sums().Outstanding != want.outstanding || g.Sums().Lag != want.lag || g.Sums().TrueLag != want.trueLag {
			t.Errorf("%s: %s, %d members, outstanding %d, lag %d, true lag %d, level %s, error %v; want %+v", g.Name, g.Type,
				len(g.Members), g.Sums().Outstanding, g.Sums().Lag, g.Sums().TrueLag, g.Level(), g.Err, want)
		}
	}
	if got := kinds(&group(t, s, "coupons").Partitions[0]); got != "orphan" {
		t.Errorf("the deleted topic's findings are %q", got)
	}
	if got := kinds(&group(t, s, "email-sender").Partitions[0]); got != "near-delivery-limit rejected" {
		t.Errorf("the share group's findings are %q", got)
	}
}

func TestGatherNamedGroups(t *testing.T) {
	s := newScene(t)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	s.commit("shipping", "orders", 0, 3, "")
	s.commit("invoice", "emails", 0, 3, "")
	got := s.gather(Query{Groups: []string{"billing", "gone", "ship*", "zz*"}})
	if want := []string{"billing", "gone", "shipping"}; !slices.Equal(names(got), want) {
		t.Fatalf("groups %v, want %v", names(got), want)
	}
	if err := group(t, got, "gone").Err; !errors.Is(err, gapstore.ErrNotFound) {
		t.Errorf("the error of a group that is not there is %v", err)
	}
	if len(got.Notices) != 1 || !strings.Contains(got.Notices[0], "zz*") {
		t.Errorf("notices %q, want one on the pattern that matches nothing", got.Notices)
	}
}

func TestGatherFilters(t *testing.T) {
	s := newScene(t)
	s.commitGaps("billing", "orders", 0, "2,4-5", 9)
	s.commit("billing", "orders", 1, 3, "")
	s.commit("shipping", "orders", 0, 3, "")
	s.commit("invoice", "emails", 0, 3, "")
	s.commit("odd", "emails", 0, 3, "who knows")
	topics, err := ParseTopics([]string{"orders/0"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query Query
		want  []string
	}{
		"all":                  {Query{All: true}, []string{"billing", "invoice", "odd", "shipping"}},
		"gaps only":            {Query{All: true, GapsOnly: true}, []string{"billing", "odd"}},
		"gaps only, but named": {Query{Groups: []string{"shipping"}, GapsOnly: true}, []string{"shipping"}},
		"topic":                {Query{All: true, Topics: topics}, []string{"billing", "shipping"}},
		"topic, and named":     {Query{All: true, Groups: []string{"invoice"}, Topics: topics}, []string{"billing", "invoice", "shipping"}},
		"format":               {Query{All: true, Formats: []string{"parallel-consumer"}}, []string{"billing"}},
		"other format":         {Query{All: true, Formats: []string{"greyhound"}}, nil},
		"none asked":           {Query{}, nil},
	} {
		got := s.gather(c.query)
		if !slices.Equal(names(got), c.want) {
			t.Errorf("%s: groups %v, want %v", name, names(got), c.want)
		}
	}
	if got := group(t, s.gather(Query{All: true, Topics: topics}), "billing"); len(got.Partitions) != 1 {
		t.Errorf("%d partitions of billing, want only orders/0", len(got.Partitions))
	}
}

func TestGatherGroupWithoutCommits(t *testing.T) {
	s := newScene(t)
	member, err := dialer(s.cluster.ListenAddrs()[0], kgo.ConsumerGroup("fresh"), kgo.ConsumeTopics("orders"))(kgo.ClientID("me"))
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	for { // until it has joined
		if _, generation := member.GroupMetadata(); generation >= 0 {
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1)
		member.PollFetches(ctx)
		cancel()
	}
	g := group(t, s.gather(Query{Groups: []string{"fresh"}}), "fresh")
	if g.Err != nil || len(g.Partitions) != 0 || len(g.Members) != 1 || g.Members[0].ClientID != "me" || !strings.HasPrefix(g.Members[0].Host, "127.0.0.1") {
		t.Errorf("%+v", g)
	}
}

// counts counts the requests of a kind, and what is asked more than once.
func (s *scene) counts(key kmsg.Key, parts func(kmsg.Request) []string) (asked *int, twice *[]string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	asked, twice = new(int), new([]string)
	s.cluster.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		*asked++
		for _, part := range parts(req) {
			if seen[part] {
				*twice = append(*twice, part)
			}
			seen[part] = true
		}
		return nil, nil, false
	})
	return asked, twice
}

func TestGatherAsksOnce(t *testing.T) {
	s := newScene(t)
	for partition := range int32(3) {
		s.fill("orders", partition, 10)
		for g := range 20 {
			s.commitGaps(fmt.Sprintf("group-%d", g), "orders", partition, "2,4-5", 9)
		}
	}
	asked, twice := s.counts(kmsg.ListOffsets, func(kreq kmsg.Request) (parts []string) {
		req := kreq.(*kmsg.ListOffsetsRequest)
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				parts = append(parts, fmt.Sprint(t.Topic, p.Partition, p.Timestamp, req.IsolationLevel))
			}
		}
		return parts
	})
	fetches, fetchedTwice := s.counts(kmsg.Fetch, func(kreq kmsg.Request) (parts []string) {
		for _, t := range kreq.(*kmsg.FetchRequest).Topics {
			for _, p := range t.Partitions {
				parts = append(parts, fmt.Sprint(t.TopicID, p.Partition, p.FetchOffset))
			}
		}
		return parts
	})
	got := s.gather(Query{All: true})
	if *asked != 3 || len(*twice) > 0 || *fetches != 1 || len(*fetchedTwice) > 0 {
		t.Errorf("%d ListOffsets, twice %v; %d Fetches, twice %v", *asked, *twice, *fetches, *fetchedTwice)
	}
	for _, g := range got.Groups {
		if g.Sums().Outstanding != 9 || g.Sums().TrueLag != 12 || g.Sums().OldestGapAt.IsZero() {
			t.Errorf("%s: outstanding %d, true lag %d, oldest gap at %v", g.Name, g.Sums().Outstanding, g.Sums().TrueLag, g.Sums().OldestGapAt)
		}
	}
}

// Groups that are not kept are the same, in the same order, however many rounds
// it takes.
func TestGatherEach(t *testing.T) {
	s := newScene(t)
	s.produce(s.client, stamped(0, 0, 50, 10)...)
	const groups = 5 * groupsAtFirst / 2
	for i := range groups {
		s.commitGaps(fmt.Sprintf("group-%02d", i), "orders", 0, fmt.Sprint(i), 45)
	}
	q := Query{All: true}
	want := NewListView(s.gather(q))
	asked, _ := s.counts(kmsg.ListOffsets, func(kmsg.Request) []string { return nil })
	var each []GroupView
	q.Each = func(g *Group) { each = append(each, NewGroupView(g)) }
	kept := s.gather(q)
	if rounds := *asked / 3; len(kept.Groups) > 0 || rounds < 2 {
		t.Errorf("%d groups are kept, %d rounds", len(kept.Groups), rounds)
	}
	if len(each) < groups || !reflect.DeepEqual(each, want.Groups) {
		t.Errorf("%+v\nwant\n%+v", each, want.Groups)
	}
}
