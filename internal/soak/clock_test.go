//go:build linux

package soak

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// clockEnv says by how many seconds the clock of a program of ours is wrong, and
// for how many it is right and wrong in turn; "0 0" or nothing: it is right.
const clockEnv = "GAPCTL_TEST_SOAK_CLOCK"

// monotonic is a time that all processes share and that no clock's jump moves.
func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0 // it can't fail on Linux
	}
	return time.Duration(now.Nano())
}

// wrongClock is what stands in place of the first line of time.Now. A Go program
// asks the kernel without the C library, so libfaketime can't reach it; the
// programs under test are built with another package time instead. The clock
// jumps as a real one does: the monotonic reading goes on.
const wrongClock = `sec, nsec, mono := runtimeNow()
	sec += soakShift(mono)
`

const wrongClockFunc = `
// soakShift is what the clock is wrong by, as GAPCTL_TEST_SOAK_CLOCK says.
func soakShift(mono int64) int64 {
	s, ok := syscall.Getenv("GAPCTL_TEST_SOAK_CLOCK")
	if !ok {
		return 0
	}
	var shift, period, sign, i int64 = 0, 0, 1, 0
	if len(s) > 0 && s[0] == '-' {
		sign, i = -1, 1
	}
	for ; int(i) < len(s) && s[i] != ' '; i++ {
		shift = shift*10 + int64(s[i]-'0')
	}
	for i++; int(i) < len(s); i++ {
		period = period*10 + int64(s[i]-'0')
	}
	if period > 0 && mono/1e9/period%2 == 0 {
		return 0
	}
	return sign * shift
}
`

// overlay is the file for go build -overlay with that package time.
func overlay(dir string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const line = "sec, nsec, mono := runtimeNow()\n"
	head, tail, found := strings.Cut(string(source), "func Now() Time {\n\t"+line)
	if !found || !strings.Contains(head, "import (\n") {
		return "", fmt.Errorf("%s is not as expected", original)
	}
	changed := strings.Replace(head, "import (\n", "import (\n\t\"syscall\"\n", 1) +
		"func Now() Time {\n\t" + wrongClock + tail + wrongClockFunc
	file, list := filepath.Join(dir, "time.go.txt"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		return "", err
	}
	return list, os.WriteFile(list, replace, 0o600)
}

const clockNode = 1 // the node whose clock jumps

// clock is the clock of one broker, and of gapctl where it is built for that.
type clock struct {
	file  string
	shift atomic.Int64 // of gapctl, in seconds
}

func newClock(s *soak) *clock {
	s.t.Helper()
	c := &clock{file: s.path("clock")}
	if err := c.set(0); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (c *clock) options(node int) []kafkatest.Option {
	if node != clockNode {
		return nil
	}
	return []kafkatest.Option{kafkatest.Clock(c.file)}
}

// set makes the clocks wrong by so much, within a second.
func (c *clock) set(by time.Duration) error {
	c.shift.Store(int64(by / time.Second))
	next := c.file + ".new"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%d", int64(by/time.Second)), 0o600); err != nil {
		return err
	}
	return os.Rename(next, c.file) // never read by half
}

// env is for one command.
func (c *clock) env() string { return fmt.Sprintf("%s=%d 0", clockEnv, c.shift.Load()) }
