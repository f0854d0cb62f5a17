package gapstore

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// sharingPair is two members that share one partition; which of them keeps it, they
// do not say.
func sharingPair(t *testing.T, n int) (w *crew, keeper, other *mate) {
	t.Helper()
	plain, _ := newWork(t, 1, 0)
	w = newCrew(plain, ByKey)
	nothing := func(*kgo.Record) bool { return false }
	first, second := w.hire("first", nothing), w.hire("second", nothing)
	w.awaitShares(first, second)
	first.rest()
	second.rest()
	w.fillKeys(1, n, 10)
	if first.part().share.keeper {
		return w, first, second
	}
	return w, second, first
}

func (m *mate) part() *tracked {
	m.c.mu.RLock()
	defer m.c.mu.RUnlock()
	for _, t := range m.c.parts {
		return t
	}
	return nil
}

func (m *mate) commit(t *testing.T) {
	t.Helper()
	if err := m.c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Whoever is not the keeper has no offset to commit; all the same the group's
// coordinator refuses a member of an old generation, and one that is none.
func TestTogetherFencedByGeneration(t *testing.T) {
	t.Parallel()
	w, keeper, other := sharingPair(t, 40)
	records := w.poll(other.c, 3)
	other.c.Done(records[0])
	other.commit(t)
	keeper.commit(t)
	before := w.entries()[0]
	if len(before.Slots) != 2 || before.State.Max != records[0].Offset+1 {
		t.Fatalf("%d slots, max %d, want that of %d", len(before.Slots), before.State.Max, records[0].Offset)
	}
	other.c.Done(records[1])
	member := other.c.session().member
	other.c.turn <- struct{}{}
	for _, fenced := range []membership{
		{group: member.group, id: member.id, generation: member.generation - 1},
		{group: member.group, id: "somebody", generation: member.generation},
	} {
		if err := other.c.commitAs(t.Context(), fenced, []*tracked{other.part()}); !isGone(err) {
			t.Errorf("as %+v: %v", fenced, err)
		}
		if e := w.entries()[0]; !e.State.Equal(before.State) {
			t.Errorf("as %+v: gaps %s", fenced, e.State.Gaps)
		}
	}
	<-other.c.turn
	other.commit(t)
	if e := w.entries()[0]; e.State.Max != records[1].Offset+1 {
		t.Errorf("as itself: max %d, want that of %d", e.State.Max, records[1].Offset)
	}
	w.disband(other, keeper)
}

// An operator moves the offset back while nobody is there: everything from
// there on comes again, once, whatever the slots of that time say.
func TestTogetherFollowsAMovedOffset(t *testing.T) {
	t.Parallel()
	plain, _ := newWork(t, 1, 0)
	w := newCrew(plain, ByBlock)
	w.fillKeys(1, 100, 10)
	first := []*mate{w.hire("a", everything), w.hire("b", everything), w.hire("c", everything)}
	await(t, "all records", func() bool { return w.delivered() == 100 })
	w.disband(first...)
	for at, left := range map[int64]int{30: 70, 95: 5} {
		commitPlainly(t, plain, at)
		w.got = map[place]map[int64]int{}
		again := []*mate{w.hire("d", everything), w.hire("e", everything), w.hire("f", everything)}
		await(t, "the records again", func() bool { return w.delivered() == left })
		w.disband(again...)
		for offset, times := range w.got[place{w.topic, 0}] {
			if offset < at || times != 1 {
				t.Errorf("moved to %d: %d came %d times", at, offset, times)
			}
		}
		if e := w.entries()[0]; e.Committed != 100 || len(e.Slots) != 1 {
			t.Errorf("committed %d, %d slots", e.Committed, len(e.Slots))
		}
	}
}

// A rebalance waits for the records in hand: who gets their keys next does not
// get them before.
func TestTogetherDrainsHandsFirst(t *testing.T) {
	t.Parallel()
	plain, cluster := newWork(t, 1, 0)
	w := newCrew(plain, ByKey)
	w.fillKeys(1, 20, 10)
	o := w.options()
	o.Sharing = ByKey
	first := w.join(o)
	records := w.poll(first, 20)
	polling, stop := context.WithCancel(t.Context())
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		for polling.Err() == nil {
			_, _ = first.Poll(polling, 0)
		}
	}()
	joined := make(chan *Consumer)
	go func() { joined <- w.join(o) }()
	admin, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	await(t, "the rebalance to begin", func() bool {
		groups, err := kadm.NewClient(admin).DescribeGroups(t.Context(), w.group)
		return err == nil && groups[w.group].State == "PreparingRebalance"
	})
	first.Done(records...) // which still counts
	second := <-joined
	await(t, "the second to have a share", func() bool { return second.session() != nil })
	stop()
	<-idle
	first.closing.Store(true)
	for _, c := range []*Consumer{second, first} {
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if e := w.entries()[0]; e.State.Stable != 20 {
		t.Errorf("stable %d: what was done while the group waited is lost", e.State.Stable)
	}
}

// A process that takes the place of a killed one, in the same generation, goes
// on with its slot.
func TestTogetherAnotherProcessInItsPlace(t *testing.T) {
	t.Parallel()
	plain, _ := newWork(t, 1, 0)
	w := newCrew(plain, ByKey)
	join := func(instance string) *Consumer {
		o := w.options(kgo.SessionTimeout(time.Minute))
		o.Sharing, o.Instance = ByKey, instance
		return w.join(o)
	}
	mates := []*mate{{name: "one", c: join("one")}, {name: "two", c: join("two")}}
	w.awaitShares(mates...)
	w.fillKeys(1, 60, 10)
	keeper, other := mates[1], mates[0]
	if other.part().share.keeper {
		keeper, other = other, keeper
	}
	keeper.c.Done(w.poll(keeper.c, 1)...)
	keeper.commit(t)
	records := w.poll(other.c, 6)
	other.c.Done(records[0], records[2])
	other.commit(t)
	was := other.c.session()
	other.c.crash()
	other.c = join(other.name)
	w.awaitShares(other)
	if now := other.c.session(); now.member.generation != was.member.generation || now.slot != was.slot {
		t.Fatalf("generation %d and slot %d, was %d and %d: the test proves nothing", now.member.generation, now.slot, was.member.generation, was.slot)
	}
	again := w.poll(other.c, 2)
	if again[0].Offset != records[1].Offset || again[1].Offset != records[3].Offset {
		t.Errorf("delivered %s, committed %d and %d of %s", offsets(again), records[0].Offset, records[2].Offset, offsets(records))
	}
	other.c.Done(again[0])
	other.commit(t)
	state := w.entries()[0].State
	for i, done := range []bool{true, true, true, false} {
		if state.Completed(records[i].Offset) != done {
			t.Errorf("record %d done: %v", records[i].Offset, !done)
		}
	}
	for _, m := range mates {
		if err := m.c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// One member takes over alone what a group has shared, and the other way round.
func TestTogetherAfterAloneAndBack(t *testing.T) {
	t.Parallel()
	plain, _ := newWork(t, 1, 0)
	w := newCrew(plain, Whole)
	w.fillKeys(1, 90, 10)
	even := func(r *kgo.Record) bool { return r.Offset%2 == 0 && r.Offset > 0 }
	for i, round := range []struct {
		sharing Sharing
		keep    func(*kgo.Record) bool
		comes   int
	}{
		{Whole, even, 90}, {ByKey, func(r *kgo.Record) bool { return r.Offset%3 == 0 }, 46},
		{Whole, func(r *kgo.Record) bool { return r.Offset%5 == 0 }, 30}, {ByBlock, everything, 24},
	} {
		w.sharing, w.got = round.sharing, map[place]map[int64]int{}
		mates := []*mate{w.hire("a", round.keep), w.hire("b", round.keep)}
		await(t, "the records of the round", func() bool { return w.delivered() >= round.comes })
		if round.sharing == Whole {
			mates[0].leave(t)
			mates[1].leave(t)
		} else {
			w.disband(mates...)
		}
		if n := w.delivered(); n != round.comes {
			t.Errorf("round %d: %d records, want %d", i, n, round.comes)
		}
	}
	if e := w.entries()[0]; e.State.Stable != 90 || len(e.Slots) != 1 {
		t.Errorf("stable %d, %d slots", e.State.Stable, len(e.Slots))
	}
}

// A slot does not grow with what other members have done.
func TestTogetherSlotsFollowTheOffset(t *testing.T) {
	t.Parallel()
	w, keeper, other := sharingPair(t, 10)
	done := func(m *mate, from, to int64) {
		p := m.part()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.set.Done(codec.Range{Start: from, End: to})
		p.changed = true
	}
	for from := int64(0); from < 6*codec.NativeWindow; from += codec.NativeWindow {
		done(keeper, from, from+1000)
		done(other, from+1000, from+codec.NativeWindow)
		other.commit(t)
		keeper.commit(t)
	}
	other.commit(t)
	other.c.Done(&kgo.Record{Topic: w.topic, Offset: 7 * codec.NativeWindow})
	other.commit(t)
	e := w.entries()[0]
	if e.Committed != 6*codec.NativeWindow || len(e.Slots) != 2 || len(e.Slots[1].Windows) > 2 {
		t.Errorf("committed %d, %d slots, windows %v", e.Committed, len(e.Slots), e.Slots[1].Windows)
	}
	keeper.c.closing.Store(true)
	w.disband(other, keeper)
}
