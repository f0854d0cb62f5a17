package gapstore

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// TestListedCoordinators: a group is asked about where it was listed, once, and
// where that is no answer, its coordinator is looked for and asked instead.
func TestListedCoordinators(t *testing.T) {
	c := fakeCluster(t)
	s := openStore(t, c.ListenAddrs()...)
	const elsewhere = 7 // kfake has broker 0
	gone := Classify("ask", errors.New("unknown broker"))
	if !errors.Is(gone, ErrUnavailable) {
		t.Fatal(gone)
	}
	for name, scene := range map[string]struct {
		listed map[string]int32
		answer error // of the broker elsewhere
		want   []int32
		failed error
	}{
		"not listed":         {nil, nil, []int32{0}, nil},
		"another is":         {map[string]int32{"audit": elsewhere}, nil, []int32{0}, nil},
		"listed":             {map[string]int32{"billing": elsewhere}, nil, []int32{elsewhere}, nil},
		"moved since":        {map[string]int32{"billing": elsewhere}, kerr.NotCoordinator, []int32{elsewhere, 0}, nil},
		"gone since":         {map[string]int32{"billing": elsewhere}, gone, []int32{elsewhere, 0}, nil},
		"refused by its own": {map[string]int32{"billing": elsewhere}, kerr.GroupAuthorizationFailed, []int32{elsewhere}, kerr.GroupAuthorizationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s.Listed(scene.listed)
			var asked []int32
			ask := func(_ context.Context, broker int32, groups []string) map[string]error {
				if !slices.Equal(groups, []string{"billing"}) {
					t.Errorf("asked about %q", groups)
				}
				if asked = append(asked, broker); broker == elsewhere && scene.answer != nil {
					return map[string]error{"billing": scene.answer}
				}
				return nil
			}
			if failed := s.AtCoordinators(t.Context(), []string{"billing"}, ask); !slices.Equal(asked, scene.want) || failed["billing"] != scene.failed {
				t.Errorf("asked %d, failed with %v; want %d and %v", asked, failed, scene.want, scene.failed)
			}
			if again := scene.want[len(scene.want)-1]; len(scene.want) > 1 {
				asked = nil
				s.AtCoordinators(t.Context(), []string{"billing"}, ask)
				if !slices.Equal(asked, []int32{again}) {
					t.Errorf("asked %d the next time, want %d", asked, again)
				}
			}
		})
	}
}

// TestListedTogether: two that ask at the same time, where the group was listed
// and is no more, each ask again; and of groups together, each is asked about
// where it was listed, and only the rest is looked for.
func TestListedTogether(t *testing.T) {
	c := fakeCluster(t)
	s := openStore(t, c.ListenAddrs()...)
	gone := Classify("ask", errors.New("unknown broker"))
	s.Listed(map[string]int32{"billing": 7, "audit": 8})
	var both sync.WaitGroup
	var asked sync.WaitGroup
	asked.Add(2)
	for range 2 {
		both.Go(func() {
			failed := s.AtCoordinators(t.Context(), []string{"billing"}, func(_ context.Context, broker int32, _ []string) map[string]error {
				if broker == 7 {
					asked.Done()
					asked.Wait()
					return map[string]error{"billing": gone}
				}
				return nil
			})
			if len(failed) > 0 {
				t.Errorf("failed: %v", failed)
			}
		})
	}
	both.Wait()
	var mu sync.Mutex
	at := map[int32][]string{}
	s.AtCoordinators(t.Context(), []string{"billing", "audit", "new"}, func(_ context.Context, broker int32, groups []string) map[string]error {
		mu.Lock()
		defer mu.Unlock()
		at[broker] = slices.Sorted(slices.Values(groups))
		return nil
	})
	if want := map[int32][]string{0: {"billing", "new"}, 8: {"audit"}}; !reflect.DeepEqual(at, want) {
		t.Errorf("asked %v, want %v", at, want)
	}
}
