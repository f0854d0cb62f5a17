package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/lab"
)

// terminal is a pseudo-terminal with a program on it.
type terminal struct {
	t       *testing.T
	control *os.File // what a terminal's window would be
	line    *os.File // what the program sees
	program *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer // what was not awaited yet
	all bytes.Buffer
}

// startTerminal runs gapctl on a terminal of its own.
func startTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("NOT TESTED: no pseudo-terminals here: %v", err)
	}
	fd := int(control.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	check(t, err)
	check(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	check(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 120}))
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	program, err := os.Executable()
	check(t, err)
	c := &terminal{t: t, control: control, line: line, program: exec.Command(program)}
	c.program.Args = append([]string{"gapctl"}, args...)
	c.program.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	c.program.Stdin, c.program.Stdout, c.program.Stderr = line, line, line
	c.program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(t, c.program.Start())
	go func() { _, _ = io.Copy(c, control) }() // it ends when the terminal is closed
	t.Cleanup(func() {
		_ = c.program.Process.Kill()
		line.Close()
		control.Close()
	})
	return c
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write takes what the program writes.
func (c *terminal) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Write(p)
	return c.out.Write(p)
}

// written is all that the program has written so far.
func (c *terminal) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.String()
}

// await waits until the program has written text since the last call.
func (c *terminal) await(text string) {
	c.t.Helper()
	if !c.wrote(text, 20*time.Second) {
		c.t.Fatalf("the program has not written %q, but %q", text, c.out.String())
	}
}

// awaitScreen waits until text is on the screen. Of a screen that changes only
// the changed cells are written, so that it is made to be written anew.
func (c *terminal) awaitScreen(text string) {
	c.t.Helper()
	for try := range uint16(20) {
		check(c.t, unix.IoctlSetWinsize(int(c.control.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 119 + try%2}))
		if c.wrote(text, time.Second) {
			return
		}
	}
	c.t.Fatalf("the screen does not show %q, but %q", text, c.out.String())
}

// wrote reports whether the program writes text within the limit.
func (c *terminal) wrote(text string, limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		c.mu.Lock()
		at := strings.Index(c.out.String(), text)
		if at >= 0 {
			c.out.Next(at + len(text))
		}
		c.mu.Unlock()
		if at >= 0 {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func (c *terminal) press(keys string) {
	c.t.Helper()
	_, err := c.control.WriteString(keys)
	check(c.t, err)
}

// settings are what the terminal does with keys.
func (c *terminal) settings() unix.Termios {
	c.t.Helper()
	s, err := unix.IoctlGetTermios(int(c.line.Fd()), unix.TCGETS)
	check(c.t, err)
	return *s
}

// TestWatchTerminal: watch takes the screen, answers keys, and however it ends,
// says so by its exit code and leaves the terminal as it was.
func TestWatchTerminal(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	const takeScreen, giveBack = "\x1b[?1049h", "\x1b[?1049l"
	cases := []struct {
		name string
		end  func(*terminal)
		want int
	}{
		{"q", func(c *terminal) { c.press("q") }, 0},
		{"ctrl-c", func(c *terminal) { c.press("\x03") }, 130},
		{"SIGINT", func(c *terminal) { check(t, c.program.Process.Signal(os.Interrupt)) }, 130},
		{"SIGTERM", func(c *terminal) { check(t, c.program.Process.Signal(syscall.SIGTERM)) }, 130},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			c := startTerminal(t, "watch", "billing", "-b", l.Addr(), "--interval", "100ms")
			before := c.settings()
			c.await(takeScreen)
			c.await("q quit")
			if c.settings() == before {
				t.Error("the terminal is not in raw mode: keys would not arrive")
			}
			c.press("\r")
			c.awaitScreen("gapctl records billing --topic orders/0")
			c.awaitScreen("enter records")
			c.press("\x1b[B\r") // down
			c.awaitScreen("gapctl records billing orders/0@833-836")
			c.awaitScreen("customer-8")
			c.press("v")
			c.awaitScreen(`"status":"placed"`)
			c.press("\x1b")
			c.awaitScreen("enter records")
			c.press("\x1b")
			c.awaitScreen("/ filter")
			c.press("/orders/2\r")
			c.awaitScreen("(1 of 3)")
			test.end(c)
			c.await(giveBack)
			code := 0
			var failed *exec.ExitError
			if err := c.program.Wait(); errors.As(err, &failed) {
				code = failed.ExitCode()
			} else {
				check(t, err)
			}
			if code != test.want {
				t.Errorf("exit code %d, want %d", code, test.want)
			}
			if c.settings() != before {
				t.Error("the terminal is not as it was")
			}
		})
	}
}

// TestWatchCount: on a terminal too, watch ends by itself.
func TestWatchCount(t *testing.T) {
	l, err := lab.Start(context.Background(), lab.Options{})
	check(t, err)
	defer l.Close()
	c := startTerminal(t, "watch", "billing", "-b", l.Addr(), "--interval", "50ms", "--count", "3")
	if err := c.program.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWatchRecordsHostile: what a producer has put into a record, and who commits
// into a group's name, can not make the terminal do anything, nor the shell that a
// suggested command is copied to; and what can not be read is said.
func TestWatchRecordsHostile(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(l.Addr()), kgo.DefaultProduceTopic("traps"))
	check(t, err)
	defer client.Close()
	_, err = kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, nil, "traps")
	check(t, err)
	const title, clipboard = "\x1b]0;owned\x07", "\x1b]52;c;b3duZWQ=\x07"
	const group = "trapped $(reboot)" + title + clipboard
	check(t, client.ProduceSync(t.Context(),
		&kgo.Record{Key: []byte("key" + title), Value: []byte("value" + clipboard), Headers: []kgo.RecordHeader{{Key: "header" + title, Value: []byte(clipboard)}}},
		&kgo.Record{Key: []byte("done")}).FirstErr())
	gap := codec.State{Max: 2, Gaps: codec.NewRanges(codec.Range{End: 1})}
	encoded, err := codec.Encode(gap, "parallel-consumer", "run-length-v2")
	check(t, err)
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: "traps", At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	check(t, kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets))

	c := startTerminal(t, "watch", group, "-b", l.Addr(), "--interval", "1m", "--timeout", "2s")
	c.awaitScreen("q quit")
	c.press("\r")
	c.awaitScreen("gapctl records 'trapped $(reboot)")
	c.awaitScreen("enter records")
	c.press("\r")
	c.awaitScreen("gapctl records 'trapped $(reboot)")
	c.awaitScreen("HEADERS")
	c.awaitScreen("key")
	c.press("v")
	c.awaitScreen("VALUE")
	c.awaitScreen("value")
	l.Close()
	c.press("r")
	c.awaitScreen("not read: ")
	c.press("q")
	if err := c.program.Wait(); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{title, clipboard, "owned\x07", "\x1b]52"} {
		if strings.Contains(c.written(), bad) {
			t.Errorf("the program has written %q", bad)
		}
	}
}
