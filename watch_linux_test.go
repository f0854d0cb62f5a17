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

	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/internal/lab"
)

// terminal is a pseudo-terminal with a program on it.
type terminal struct {
	t       *testing.T
	control *os.File // what a terminal's window would be
	line    *os.File // what the program sees
	program *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer
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
	return c.out.Write(p)
}

// await waits until the program has written text since the last call.
func (c *terminal) await(text string) {
	c.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		c.mu.Lock()
		at := strings.Index(c.out.String(), text)
		if at >= 0 {
			c.out.Next(at + len(text))
		}
		c.mu.Unlock()
		if at >= 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Fatalf("the program has not written %q, but %q", text, c.out.String())
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
			c.await("gapctl records billing --topic orders/0")
			c.press("\x1b")
			c.await("/ filter")
			c.press("/orders/2\r")
			c.await("(1 of 3)")
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
