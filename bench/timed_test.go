package bench

import (
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// timed is a call within this process that is timed.
type timed struct {
	prepare func() // comes before each run and is not timed; may be nil
	run     func()
	of      int // how many things one run does; 0 for one
	took    []time.Duration
}

// rounds runs all in turn, each for at least that long in a round by the clock;
// a first run is not counted.
func rounds(b *testing.B, clock func() time.Duration, least time.Duration, all ...*timed) {
	b.Helper()
	for _, t := range all {
		t.round(clock, 0)
	}
	for b.Loop() {
		for _, t := range all {
			runtime.GC() // what others have left is not to be paid here
			t.took = append(t.took, t.round(clock, least))
		}
	}
}

func (t *timed) round(clock func() time.Duration, least time.Duration) time.Duration {
	runs, spent, batch := 0, time.Duration(0), 1
	for begun := clock(); runs == 0 || spent < least && clock()-begun < 20*least; runs += batch {
		if t.prepare != nil {
			t.prepare()
		} else if runs > 0 {
			batch = runs // reading the clock takes its time, too
		}
		start := clock()
		for range batch {
			t.run()
		}
		spent += clock() - start
	}
	return spent / time.Duration(runs*max(1, t.of))
}

// median is the time of one thing, in the round in the middle.
func (t *timed) median() time.Duration {
	sorted := slices.Sorted(slices.Values(t.took))
	return sorted[len(sorted)/2]
}

// wallClock is the time of day.
func wallClock() time.Duration { return time.Since(started) }

var started = time.Now()

// cpuClock is the time that this process has had, which does not count what else
// the machine does.
func cpuClock() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it only fails for a wrong argument
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
