package inspect

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// consume has a member of the group billing share partition 2 of orders, until
// the test ends.
func (s *scene) consume(instance string) {
	s.t.Helper()
	c, err := gapstore.NewConsumer(s.t.Context(), dialer(s.cluster.ListenAddrs()[0]), gapstore.ConsumerOptions{
		Group: "billing", Topics: []string{"orders"}, Sharing: gapstore.ByBlock, Instance: instance,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for ctx.Err() == nil {
			records, _ := c.Poll(ctx, 10) // a rebalance may come between
			for _, r := range records {
				if r.Offset%5 > 0 { // what is all done needs no slot any more
					c.Done(r)
				}
			}
			_ = c.Commit(ctx) // or again the next time
		}
	})
	s.t.Cleanup(func() {
		cancel()
		work.Wait()
		_ = c.Close(context.Background())
	})
}

// Two members share three partitions, so that each has one to itself, and both
// have a part of the third: then it is told who has which slot.
func TestFindSlotHolders(t *testing.T) {
	s := newScene(t)
	s.consume("worker-1")
	s.consume("worker-2")
	deadline := time.Now().Add(30 * time.Second)
	for {
		for p := range int32(3) { // until both are there, one has it all
			s.fill("orders", p, 16)
		}
		snapshot := s.gather(Query{Groups: []string{"billing"}})
		if err := s.findSlotHolders(&snapshot); err != nil {
			t.Fatal(err)
		}
		if s.sharedByTwo(snapshot) {
			return
		}
		if time.Now().After(deadline) {
			var b bytes.Buffer
			if err := Write(&b, OutputWide, NewDescribeView(snapshot), Style{}); err != nil {
				t.Fatal(err)
			}
			t.Fatalf("nobody shares a partition, or it is not told:\n%s", b.String())
		}
	}
}

func (s *scene) findSlotHolders(snapshot *Snapshot) error {
	store, err := gapstore.Open(s.t.Context(), dialer(s.cluster.ListenAddrs()[0]))
	if err != nil {
		return err
	}
	defer store.Close()
	return FindSlotHolders(s.t.Context(), store, snapshot)
}

// sharedByTwo reports whether a partition has slots of both members, and says so.
func (s *scene) sharedByTwo(snapshot Snapshot) bool {
	for i := range snapshot.Groups[0].Partitions {
		p := newPartitionView(&snapshot.Groups[0].Partitions[i])
		holders := map[Name]bool{}
		for _, slot := range p.Slots {
			if slot.Member != "" {
				holders[slot.InstanceID] = true
			}
		}
		if !holders["worker-1"] || !holders["worker-2"] {
			continue
		}
		notes := fmt.Sprint(p.slotNotes(nil, Time{snapshot.TakenAt}))
		for _, want := range []string{"slot 0, held by instance worker-", "member ", "stable "} {
			if !strings.Contains(notes, want) {
				s.t.Fatalf("%q is not in %s", want, notes)
			}
		}
		return true
	}
	return false
}
