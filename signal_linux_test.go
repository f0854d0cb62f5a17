package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/internal/lab"
)

// ownProcess is gapctl, to be started in a process of its own.
func ownProcess(t *testing.T, args ...string) (c *exec.Cmd, out, errs *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	check(t, err)
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	c = exec.Command(program)
	c.Args = append([]string{"gapctl"}, args...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	c.Stdout, c.Stderr = out, errs
	t.Cleanup(func() {
		if c.Process != nil {
			_ = c.Process.Kill()
		}
	})
	return c, out, errs
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	}
	check(t, err)
	return 0
}

// TestSignals: each signal that asks a process to end ends gapctl by its exit
// code for it, also while it waits for standard input or for the next look.
func TestSignals(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	for _, line := range []string{"decode --batch", "encode --batch", "diff -", "watch billing --interval 1h"} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(line+" "+s.String(), func(t *testing.T) {
				c, _, errs := ownProcess(t, append(strings.Fields(line), "-b", l.Addr())...)
				if strings.Contains(line, "code") {
					c.Args = c.Args[:3] // no cluster
				}
				in := busy(t, c)
				defer in.Close()
				check(t, c.Process.Signal(s))
				if got := exitCode(t, c.Wait()); got != 130 {
					t.Errorf("exit code %d; standard error %q", got, errs)
				}
			})
		}
	}
}

// busy starts a process and returns once it has begun its work: it has read a
// blank line, or has written something, if it reads nothing. Nobody ends what it
// reads before the test does.
func busy(t *testing.T, c *exec.Cmd) (in *os.File) {
	t.Helper()
	stdin, in, err := os.Pipe()
	check(t, err)
	out, stdout, err := os.Pipe()
	check(t, err)
	c.Stdin, c.Stdout = stdin, stdout
	check(t, c.Start())
	stdin.Close()
	stdout.Close()
	defer out.Close()
	_, err = in.WriteString("\n")
	check(t, err)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		unread, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCINQ)
		check(t, err)
		written, err := unix.IoctlGetInt(int(out.Fd()), unix.TIOCINQ)
		check(t, err)
		if unread == 0 || written > 0 {
			return in
		}
		if time.Now().After(deadline) {
			t.Fatal("it has not begun within a minute")
		}
	}
}

// TestHangupIgnored: under nohup, gapctl goes on when its terminal is gone.
func TestHangupIgnored(t *testing.T) {
	c, _, errs := ownProcess(t)
	link := filepath.Join(t.TempDir(), "gapctl")
	check(t, os.Symlink(c.Path, link))
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `trap "" HUP; exec "$0" decode --batch`, link}
	in := busy(t, c)
	check(t, c.Process.Signal(syscall.SIGHUP))
	check(t, in.Close())
	if got := exitCode(t, c.Wait()); got != 0 {
		t.Errorf("exit code %d; standard error %q", got, errs)
	}
}

// TestTerminalGone: when the window is closed, nothing is left running: neither
// a screen, nor a question.
func TestTerminalGone(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	for name, shows := range map[string]string{"watch billing": "q quit", "skip billing orders/0@820 --execute": "[y/N]"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			c := startTerminal(t, append(strings.Fields(name), "-b", l.Addr())...)
			c.awaitScreen(shows)
			if err := unix.IoctlSetInt(int(c.line.Fd()), unix.TIOCVHANGUP, 0); err != nil { // only root may
				check(t, c.program.Process.Signal(syscall.SIGHUP))
			}
			// A question takes the end of what is typed for a no.
			limit := time.AfterFunc(30*time.Second, func() { _ = c.program.Process.Kill() })
			defer limit.Stop()
			if got := exitCode(t, c.program.Wait()); got != 130 && got != 10 {
				t.Errorf("exit code %d", got)
			}
			if made, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), "gapctl", "journal", "*")); len(made) > 0 {
				t.Errorf("the journal has %q", made)
			}
		})
	}
}

// TestReaderGone: it is no failure that nobody reads the output any more, unless
// that was where records were to go, or the command failed; and it never makes a
// broken connection look like success.
func TestReaderGone(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	for line, want := range map[string]int{
		"list": 0, "records billing": 0, "describe billing -o json": 0,
		"skip billing orders/0@820 --execute --yes":    0,
		"skip checkout payments/0@598 --execute --yes": 5,
		"replay billing --to-stdout --execute --yes":   1,
		"check billing":                              0,
		"list -X bootstrap.servers=127.0.0.1:1":      8,
		"describe warehouse -o csv --topic payments": 0,
	} {
		t.Run(line, func(t *testing.T) {
			c, _, errs := ownProcess(t, strings.Fields(line)...)
			c.Env = append(c.Env, "GAPCTL_BOOTSTRAP_SERVER="+l.Addr())
			c.Stdout = closedPipe(t)
			if got := exitCode(t, c.Run()); got != want {
				t.Errorf("exit code %d, want %d; standard error %q", got, want, errs)
			}
		})
	}
}
