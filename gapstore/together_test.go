package gapstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// crew is members of one group that consume together, and what they get.
type crew struct {
	*work
	sharing Sharing

	mu   sync.Mutex
	got  map[place]map[int64]int    // how often each record was delivered
	keys map[string]map[string]bool // the members that had a key
}

func newCrew(w *work, sharing Sharing) *crew {
	return &crew{work: w, sharing: sharing, got: map[place]map[int64]int{}, keys: map[string]map[string]bool{}}
}

// fillKeys writes n records of keys into each partition.
func (w *work) fillKeys(partitions int32, n, keys int) {
	w.t.Helper()
	w.fillWith(partitions, n, func(p int32, i int) *kgo.Record { return &kgo.Record{Key: fmt.Appendf(nil, "%d-%d", p, i%keys)} })
}

// mate is one member, at work.
type mate struct {
	name string
	c    *Consumer
	stop context.CancelFunc
	idle chan struct{}
}

// hire starts a member that does what keep says, and commits it.
func (w *crew) hire(name string, keep func(*kgo.Record) bool) *mate {
	w.t.Helper()
	o := w.options()
	o.Sharing = w.sharing
	ctx, stop := context.WithCancel(w.t.Context())
	m := &mate{name: name, c: w.join(o), stop: stop, idle: make(chan struct{})}
	go func() {
		defer close(m.idle)
		for ctx.Err() == nil {
			records, err := m.c.Poll(ctx, 10)
			if err != nil && ctx.Err() == nil {
				w.t.Errorf("%s: %v", name, err)
			}
			w.note(m, records, keep)
			if err := m.c.Commit(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrLost) {
				w.t.Errorf("%s: %v", name, err)
			}
		}
	}()
	return m
}

func (w *crew) note(m *mate, records []*kgo.Record, keep func(*kgo.Record) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range records {
		at := place{r.Topic, r.Partition}
		if w.got[at] == nil {
			w.got[at] = map[int64]int{}
		}
		w.got[at][r.Offset]++
		key := string(r.Key)
		if w.keys[key] == nil {
			w.keys[key] = map[string]bool{}
		}
		w.keys[key][m.name] = true
		if keep(r) {
			m.c.Done(r)
		} else {
			m.c.Release(r)
		}
	}
}

// delivered is the number of different records that came.
func (w *crew) delivered() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, offsets := range w.got {
		n += len(offsets)
	}
	return n
}

// rest stops the member's work; it is still a member.
func (m *mate) rest() {
	m.stop()
	<-m.idle
}

// leave ends it.
func (m *mate) leave(t testing.TB) {
	m.rest()
	if err := m.c.Close(context.Background()); err != nil {
		t.Errorf("%s: %v", m.name, err)
	}
}

// disband lets all leave; the last one has everything then.
func (w *crew) disband(mates ...*mate) {
	w.t.Helper()
	for i, m := range mates {
		if i == len(mates)-1 {
			await(w.t, "the last to have all", func() bool { return m.c.keepsAll() })
		}
		m.leave(w.t)
	}
}

func (c *Consumer) keepsAll() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, t := range c.parts {
		if !t.share.keeper || len(t.share.others) > 0 {
			return false
		}
	}
	return len(c.parts) > 0
}

// awaitShares waits until each member has a part in one generation.
func (w *crew) awaitShares(mates ...*mate) {
	w.t.Helper()
	await(w.t, "all members to have a share", func() bool {
		slots := map[uint32]bool{}
		for _, m := range mates {
			m.c.mu.RLock()
			if now := m.c.now; now != nil && len(m.c.parts) > 0 {
				slots[now.slot] = true
			}
			m.c.mu.RUnlock()
		}
		return len(slots) == len(mates)
	})
}

func everything(*kgo.Record) bool { return true }

func TestTogetherEachRecordGoesToOneMember(t *testing.T) {
	t.Parallel()
	for _, sharing := range []Sharing{ByKey, ByBlock} {
		t.Run(sharing.String(), func(t *testing.T) {
			t.Parallel()
			const partitions, n = 2, 600
			plain, _ := newWork(t, partitions, 0)
			w := newCrew(plain, sharing)
			var mates []*mate
			for i := range 5 {
				mates = append(mates, w.hire(fmt.Sprint("mate-", i), func(r *kgo.Record) bool { return r.Offset%50 != 7 }))
			}
			w.awaitShares(mates...)
			w.fillKeys(partitions, n, 40)
			await(t, "all records to come", func() bool { return w.delivered() == partitions*n })
			for key, members := range w.keys {
				if sharing == ByKey && len(members) != 1 {
					t.Errorf("key %s went to %d members", key, len(members))
				}
			}
			for at, offsets := range w.got {
				for offset, times := range offsets {
					if times != 1 {
						t.Errorf("%v: %d was delivered %d times", at, offset, times)
					}
				}
			}
			want := "7,57,107,157,207,257,307,357,407,457,507,557"
			await(t, "the keepers to see all", func() bool {
				for _, e := range w.entries() {
					if e.State.Gaps.String() != want || e.State.Stable != 7 || e.State.Max != n {
						return false
					}
				}
				return true
			})
			w.disband(mates...)
			w.got = map[place]map[int64]int{}
			last := w.hire("last", everything)
			await(t, "the rest", func() bool { return w.delivered() == partitions*12 })
			last.leave(t)
			for p, e := range w.entries() {
				if e.State.Stable != n || !e.State.Gaps.Empty() || len(e.Slots) != 1 {
					t.Errorf("partition %d: stable %d, gaps %s, %d slots", p, e.State.Stable, e.State.Gaps, len(e.Slots))
				}
			}
		})
	}
}
