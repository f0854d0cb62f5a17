package kafkatest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// binary is what all tests of one test binary share. It is the one mutable
// variable here: package testing offers no other place between TestMain and a
// test.
var binary struct {
	mu     sync.Mutex
	shared *server
	err    error // why the shared broker can't run; tried once
	slot   slot
}

// Shared is the broker that every test of this binary shares, started by the
// first that asks. TestMain must call Main (or Wrap), which stops it. Topics
// and groups need names of their own. It skips as Require does.
func Shared(t testing.TB) *Broker {
	t.Helper()
	Require(t)
	binary.mu.Lock()
	defer binary.mu.Unlock()
	if binary.shared == nil && binary.err == nil {
		binary.shared, binary.err = startShared()
	}
	if binary.err != nil {
		unavailable(t, binary.err)
	}
	s := binary.shared
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.logTail())
		}
	})
	return &Broker{t: t, server: s}
}

func startShared() (*server, error) {
	settings := newSettings(nil)
	settings.shared = true
	s, err := newServer(settings)
	if err != nil {
		return nil, err
	}
	if err := s.startFresh(); err != nil {
		err = fmt.Errorf("%w\n%s", err, s.logTail())
		s.close()
		return nil, err
	}
	return s, nil
}

// Runner is *testing.M, or something that wraps it.
type Runner interface{ Run() int }

// Main runs the tests, stops the shared broker and exits. It is the whole body
// of a TestMain.
func Main(m Runner) { os.Exit(Wrap(m).Run()) }

// Wrap returns a Runner that runs m and then stops the shared broker, for a
// TestMain that already hands m to something else, such as testscript.Main.
func Wrap(m Runner) Runner { return stopping{m} }

type stopping struct{ Runner }

func (s stopping) Run() int {
	defer func() {
		binary.mu.Lock()
		defer binary.mu.Unlock()
		if binary.shared != nil {
			binary.shared.close()
			binary.shared = nil
		}
	}()
	return s.Runner.Run()
}
