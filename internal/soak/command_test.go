//go:build linux

package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	commandTimeout = 15 * time.Second // what gapctl is told
	// commandSlack is how much longer it may take on a busy machine before it
	// counts as hung.
	commandSlack = 15 * time.Second
	// readingBack is how much longer a repair may take to see what stands.
	readingBack = 30 * time.Second
	lookers     = 2
	lookPace    = 400 * time.Millisecond
)

// ran is one run of gapctl. It was at work from begun to ended.
type ran struct {
	args           []string
	code           int
	stdout, stderr []byte
	begun, ended   time.Duration
	ahead          bool // its clock was
}

// commands are the runs so far, by command and status.
type commands struct {
	s      *soak
	mu     sync.Mutex
	counts map[string]map[int]int
	over   time.Duration  // the most that a run took beyond its timeout
	away   map[string]int // why the cluster was unavailable, in a few words
}

func newCommands(s *soak) *commands {
	return &commands{s: s, counts: map[string]map[int]int{}, away: map[string]int{}}
}

// startCommands looks at all groups in loops until the load is over.
func (s *soak) startCommands(load context.Context, all *sync.WaitGroup) *commands {
	c := newCommands(s)
	for range lookers {
		all.Go(func() {
			for pause(load, lookPace) {
				c.look()
			}
		})
	}
	all.Go(func() { c.watch(load) })
	return c
}

// look runs one of the commands that only read.
func (c *commands) look() {
	group := []string{wholeGroup, keyGroup, shareGroup, pcGroup, idleGroup}[rand.IntN(5)]
	choices := [][]string{
		{"describe", "--all"}, {"describe", "--all"}, {"describe", "--all"}, {"describe", group},
		{"list"}, {"list", "--all"}, {"check", "--all"}, {"gaps", group},
		{"records", group, "--limit", "20"}, {"history", group},
	}
	args := append(choices[rand.IntN(len(choices))], "-o", "json")
	r := c.s.gapctl(commandTimeout, args...)
	c.judge(r, 0, 1, 3, 6, 8)
	if args[0] == "describe" && (r.code == 0 || r.code == 6) {
		c.s.proof.take(c.s, r)
	}
}

// gapctl runs the built command. One that is still there long after its timeout
// is a finding, with what its goroutines did.
func (s *soak) gapctl(timeout time.Duration, args ...string) ran {
	args = append(args, "--timeout", timeout.String())
	cmd := exec.Command(s.binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = s.commandEnv()
	r := ran{args: args, begun: monotonic(), ahead: s.clock.shift.Load() > 0}
	if err := cmd.Start(); err != nil {
		s.fail("command", "%v", err)
		return r
	}
	most := timeout + commandSlack
	if slices.Contains(args, "--execute") {
		most += readingBack
	}
	hung := time.AfterFunc(most, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	err := cmd.Wait()
	r.ended, r.stdout, r.stderr, r.code = monotonic(), stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.fail("command", "%v", err)
	}
	if !hung.Stop() {
		s.fail("hung", "gapctl %s\n%s", strings.Join(args, " "), head(string(r.stderr), 400))
	}
	return r
}

func (s *soak) commandEnv() []string {
	return append(os.Environ(), "GAPCTL_BOOTSTRAP_SERVER="+s.cluster.Addr(), "XDG_STATE_HOME="+s.path("state"),
		"GAPCTL_CONFIG="+s.path("config.yaml"), s.clock.env())
}

// judge counts the run and looks at how it ended: with one of the codes, with
// JSON, and with an error that says something.
func (c *commands) judge(r ran, allowed ...int) {
	c.mu.Lock()
	if c.counts[r.args[0]] == nil {
		c.counts[r.args[0]] = map[int]int{}
	}
	c.counts[r.args[0]][r.code]++
	for i, a := range r.args {
		if a == "--timeout" {
			timeout, _ := time.ParseDuration(r.args[i+1])
			c.over = max(c.over, r.ended-r.begun-timeout)
		}
	}
	if r.code == 8 {
		c.away[reason(r)]++
	}
	c.mu.Unlock()
	line := strings.Join(r.args, " ")
	both := string(r.stdout) + string(r.stderr)
	for _, sign := range []string{"panic", "goroutine ", "fatal error", "DATA RACE"} {
		if strings.Contains(both, sign) {
			c.s.fail("panic", "gapctl %s\n%s", line, head(both, 100))
			return
		}
	}
	if !slices.Contains(allowed, r.code) || r.code == 1 && !c.s.notThereYet(r) && !c.s.tooEarly(r) {
		c.s.fail("status", "gapctl %s ended with %d\n%s%s", line, r.code, head(string(r.stderr), 10), head(string(r.stdout), 10))
	}
	if decoder := json.NewDecoder(bytes.NewReader(r.stdout)); slices.Contains(r.args, "json") {
		for decoder.More() {
			var any json.RawMessage
			if err := decoder.Decode(&any); err != nil {
				c.s.fail("output", "gapctl %s printed no JSON: %v\n%s", line, err, head(string(r.stdout), 20))
				return
			}
		}
	}
}

// notThereYet: a group that is not found, and never was, has no code of its own.
func (s *soak) notThereYet(r ran) bool {
	group := append(r.args, "", "")[1]
	if r.args[0] == "watch" {
		group = keyGroup
	}
	absent := bytes.Contains(r.stderr, []byte("no group "+group)) || bytes.Contains(r.stderr, []byte("group "+group+" has committed nothing"))
	return absent && !s.proof.knows(group)
}

// tooEarly: with its clock hours ahead, gapctl writes records that brokers refuse.
func (s *soak) tooEarly(r ran) bool {
	return r.ahead && bytes.Contains(r.stderr, []byte("INVALID_TIMESTAMP"))
}

// watch is a run of gapctl that lasts, and is watched for leaks.
func (c *commands) watch(ctx context.Context) {
	for ctx.Err() == nil {
		cmd := exec.CommandContext(ctx, c.s.binary, "watch", keyGroup, "--interval", "500ms", "--timeout", commandTimeout.String())
		var out bytes.Buffer
		cmd.Stderr = &out
		cmd.Env = c.s.commandEnv()
		if err := cmd.Start(); err != nil {
			c.s.fail("command", "watch: %v", err)
			return
		}
		c.s.leaks.watch("gapctl watch", cmd.Process.Pid, "")
		err := cmd.Wait()
		if ctx.Err() == nil {
			c.judge(ran{args: []string{"watch"}, code: cmd.ProcessState.ExitCode(), stderr: out.Bytes()}, 1, 8)
			c.s.t.Logf("watch ended: %v: %s", err, head(out.String(), 3))
			pause(ctx, time.Second)
		}
	}
}

func (c *commands) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.counts)) {
		fmt.Fprintf(&b, "gapctl %s ended", name)
		for _, code := range slices.Sorted(maps.Keys(c.counts[name])) {
			fmt.Fprintf(&b, " %d times with %d", c.counts[name][code], code)
		}
		b.WriteString("; ")
	}
	for _, why := range slices.Sorted(maps.Keys(c.away)) {
		fmt.Fprintf(&b, "\n%4d × %s", c.away[why], why)
	}
	fmt.Fprintf(&b, "\nnone took more than %v beyond its timeout", c.over.Round(time.Millisecond))
	return b.String()
}

// reason is the error of a run, without what differs from run to run.
func reason(r ran) string {
	message := string(r.stderr)
	var told struct{ Error struct{ Message string } }
	if json.Unmarshal(r.stderr, &told) == nil {
		message = told.Error.Message
	}
	message = regexp.MustCompile(`[0-9]+(\.[0-9]+)*`).ReplaceAllString(strings.TrimSpace(message), "#")
	took := (r.ended - r.begun).Truncate(5 * time.Second)
	return fmt.Sprintf("%.160s (after %v or more)", message, took)
}

// head is the first n lines of a text, and tail the last.
func head(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(n, len(lines))], "")
}

func tail(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
