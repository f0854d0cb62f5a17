//go:build linux

package soak

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	// aside is what a run may take beside its period, with the last disturbance,
	// the groups that finish, and the audit.
	aside = 10 * time.Minute
	// usual is what it takes aside mostly.
	usual = 3 * time.Minute
	// telling is left of the time of go test, to say what was not reached.
	telling = 30 * time.Second
	// joining is how long what makes the load may take to end.
	joining = 4 * time.Minute
)

// bound begins the time of the run. The result ends it. Where go test leaves too
// little, as when other tests had the machine for long, the run is skipped, with
// a line that can't be missed, unless it was asked for.
func (s *soak) bound() func() {
	s.t.Helper()
	end := time.Now().Add(s.period + aside)
	if last, ok := s.t.Deadline(); ok && last.Add(-telling).Before(end) {
		end = last.Add(-telling)
	}
	if left := time.Until(end); left < s.period+usual {
		why := fmt.Sprintf("a soak of %v takes %v in all, and go test -timeout leaves %v", s.period, s.period+usual, left)
		if os.Getenv(periodEnv) != "" || os.Getenv("GAPCTL_REQUIRE_KAFKA") == "1" {
			s.t.Fatal(why)
		}
		fmt.Fprintln(os.Stderr, "!!! SKIPPED:", why)
		s.t.Skip(why)
	}
	ctx, cancel := context.WithDeadline(s.t.Context(), end)
	s.ctx = ctx
	return func() {
		if ctx.Err() != nil {
			s.t.Errorf("NO VERDICT on all that was not reached: the run was to end at %v", end.Format(time.TimeOnly))
		}
		cancel()
	}
}

// join tells whether what makes the load has ended.
func (s *soak) join(all *sync.WaitGroup) bool {
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-time.After(joining):
		return false
	}
}

// stacks are those of all goroutines.
func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
