//go:build linux

package soak

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// recovery is how long the cluster may take to be whole after a disturbance.
const recovery = 3 * time.Minute

// disturb carries the schedule out until the period is over.
func (s *soak) disturb(ctx context.Context) {
	s.t.Helper()
	deadly, harmless := []disturbance{kill, stop, blackout, jump}, []disturbance{cut, stall, apart, slow}
	if s.disk != nil {
		deadly = append(deadly, full)
	}
	kinds := slices.Concat(deadly, harmless)
	s.t.Logf("the period is %v, and %s=%d repeats the schedule of %v", s.period, seedEnv, s.seed, kinds)
	ran := map[disturbance]int{}
	plan, begun := newSchedule(s.seed, deadly, harmless), time.Now()
	for time.Since(begun) < s.period {
		e := plan.draw()
		pause(ctx, e.after)
		s.t.Logf("%6.1fs %v", time.Since(begun).Seconds(), e)
		if err := s.trouble(ctx, e); err != nil {
			s.t.Fatalf("NO VERDICT: %v: %v", e, err)
		}
		ran[e.what]++
		whole, cancel := context.WithTimeout(ctx, recovery)
		err := s.cluster.Whole(whole)
		cancel()
		if err != nil {
			s.t.Fatalf("NO VERDICT: after %v: %v", e, err)
		}
		s.t.Logf("%6.1fs the cluster is whole; %d records", time.Since(begun).Seconds(), s.acked.count())
	}
	for _, kind := range slices.Sorted(maps.Keys(ran)) {
		s.t.Logf("%s ran %d times", kind, ran[kind])
	}
	for _, kind := range kinds {
		if ran[kind] == 0 {
			s.t.Logf("LEFT OUT: %s did not come up in this period", kind)
		}
	}
}

// trouble brings one disturbance about and ends it.
func (s *soak) trouble(ctx context.Context, e event) error {
	node := s.cluster.Nodes()[e.node]
	switch e.what {
	case kill, stop:
		end := node.Kill
		if e.what == stop {
			end = node.Stop
		}
		if err := end(); err != nil {
			return err
		}
		pause(ctx, e.lasts)
		return node.Restart()
	case blackout:
		return s.blackout(ctx, e)
	case full:
		return s.fillDisk(ctx, node, e.lasts)
	case jump:
		return s.jump(ctx, e)
	}
	return s.troubleNetwork(ctx, e)
}

func (s *soak) troubleNetwork(ctx context.Context, e event) (err error) {
	node := s.cluster.Nodes()[e.node]
	switch e.what {
	case cut:
		err = node.Front.Cut()
	case stall:
		err = node.Front.Stall()
	case apart:
		err = node.Back.Stall()
	case slow:
		for _, n := range s.cluster.Nodes() {
			err = errors.Join(err, n.Front.Delay(e.size), n.Back.Delay(e.size))
		}
	}
	pause(ctx, e.lasts)
	for _, n := range s.cluster.Nodes() {
		err = errors.Join(err, n.Front.Mend(), n.Back.Mend())
	}
	return err
}

func (s *soak) blackout(ctx context.Context, e event) error {
	all := s.cluster.Nodes()
	first, second := all[e.node], all[(e.node+1)%nodes]
	if err := errors.Join(first.Kill(), second.Kill()); err != nil {
		return err
	}
	pause(ctx, e.lasts)
	started := make(chan error, 1)
	go func() { started <- first.Restart() }() // neither is a quorum
	return errors.Join(second.Restart(), <-started)
}

// fillDisk fills a broker's disk until it dies of it, or for the given time.
func (s *soak) fillDisk(ctx context.Context, node *kafkatest.Node, lasts time.Duration) error {
	if err := s.disk.fill(); err != nil {
		return err
	}
	for deadline := time.Now().Add(lasts + 5*time.Second); time.Now().Before(deadline) && node.Running(); {
		pause(ctx, 100*time.Millisecond)
	}
	s.t.Logf("with a full disk the broker runs on: %v", node.Running())
	if err := errors.Join(node.Kill(), s.disk.free()); err != nil {
		return err
	}
	return node.Restart()
}

// jump makes clocks wrong for a time, and right again. A broker whose clock
// goes back waits until the time comes again, which for hours nobody would: it
// is started anew.
func (s *soak) jump(ctx context.Context, e event) error {
	if err := s.clock.set(e.size); err != nil {
		return err
	}
	pause(ctx, e.lasts+2*time.Second)
	if e.size < 0 {
		return s.clock.set(0)
	}
	node := s.cluster.Nodes()[e.node]
	if err := errors.Join(node.Kill(), s.clock.set(0)); err != nil {
		return err
	}
	return node.Restart()
}
