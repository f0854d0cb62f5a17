package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/internal/lab"
	"github.com/gapctl/gapctl/repair"
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
	// Under nohup the tests ignore hangups, and so would what they start.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
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
	for line, want := range map[string]int{
		"decode --batch": 130, "encode --batch": 130, "diff -": 130, "watch billing --interval 1h": 130, "lab --empty": 0,
		"replay billing --execute --yes --to-stdout --rate 1": 130,
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(line+" "+s.String(), func(t *testing.T) {
				c, _, errs := ownProcess(t, strings.Fields(line)...)
				c.Env = append(c.Env, "GAPCTL_BOOTSTRAP_SERVER="+l.Addr())
				in := busy(t, c)
				defer in.Close()
				check(t, c.Process.Signal(s))
				time.Sleep(time.Millisecond)
				_ = c.Process.Signal(s) // as timeout(1) does, unless it has ended
				if got := exitCode(t, c.Wait()); got != want {
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
	in, err := c.StdinPipe()
	check(t, err)
	c.Stdout = nil
	stdout, err := c.StdoutPipe()
	check(t, err)
	check(t, c.Start())
	answers := bufio.NewReader(stdout)
	for n := range 10 { // the second of them would be deadly, were the first not ignored
		if n > 0 {
			check(t, c.Process.Signal(syscall.SIGHUP))
		}
		_, err := io.WriteString(in, `{"metadata":"bgAIAH4="}`+"\n")
		check(t, err)
		if _, err := answers.ReadString('\n'); err != nil {
			t.Errorf("answer %d: %v", n, err)
			break
		}
	}
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
	var labs [2]*lab.Lab // the first is only read
	for i := range labs {
		var err error
		labs[i], err = lab.Start(t.Context(), lab.Options{})
		check(t, err)
		defer labs[i].Close()
	}
	for line, want := range map[string]int{
		"list": 0, "records billing": 0, "describe billing -o json": 0, "describe search-index -o json": 0, "describe --all -o yaml": 0,
		"gaps search-index -o csv": 0, "records search-index --values": 0, "map search-index -o svg": 0, "report search-index": 0,
		"list -o jq=.": 0, "list -o template={{json}}": 1, "watch billing --count 3 --interval 1ms": 0, "undo": 0,
		"check": 3, "describe audit-export --exit-code": 3, "describe nobody billing": 1, "map nobody billing": 1, "decode xx": 7,
		"decode bgAIAH4=": 0, "encode --stable 3 --max 9": 0, "context list": 0, "help": 0, "completion bash": 0, "reset billing --to-latest": 0,
		"skip billing orders/0@820 --execute --yes":    0,
		"skip checkout payments/0@598 --execute --yes": 5,
		"replay billing --exec true --execute --yes":   0,
		"check billing --stuck-after 24h":              0,
		"list -X bootstrap.servers=127.0.0.1:1":        8,
		"describe warehouse -o csv --topic payments":   0,
	} {
		l := labs[0]
		if strings.Contains(line, "--execute") {
			l = labs[1]
		}
		t.Run(line, func(t *testing.T) {
			for when, out := range map[string]io.Writer{"at once": closedPipe(t), "after a line": headPipe(t)} {
				c, _, errs := ownProcess(t, strings.Fields(line)...)
				c.Env = append(c.Env, "GAPCTL_BOOTSTRAP_SERVER="+l.Addr())
				c.Stdout = out
				if got := exitCode(t, c.Run()); got != want {
					t.Errorf("%s: exit code %d, want %d; standard error %q", when, got, want, errs)
				}
			}
		})
	}
	c, _, errs := ownProcess(t, strings.Fields("replay loyalty-points --to-stdout --execute --yes -b "+labs[1].Addr())...)
	c.Stdout = closedPipe(t)
	if got := exitCode(t, c.Run()); got != 1 {
		t.Errorf("records to nobody: exit code %d; standard error %q", got, errs)
	}
}

// headPipe is a pipe of which one line is read, as head -1 does.
func headPipe(t *testing.T) io.Writer {
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { w.Close() })
	go func() {
		_, _ = bufio.NewReaderSize(r, 16).ReadString('\n') // an end is as good
		r.Close()
	}()
	return w
}

// TestStreamsClosed: without standard input, output and error, no file and no
// connection is taken for one of them.
func TestStreamsClosed(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	c, _, _ := ownProcess(t)
	state, link := t.TempDir(), filepath.Join(t.TempDir(), "gapctl")
	check(t, os.Symlink(c.Path, link))
	c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `exec "$0" skip billing orders/0@820 --execute --yes -o json -b ` + l.Addr() + ` <&- >&- 2>&-`, link}
	c.Env = append(c.Env, "XDG_STATE_HOME="+state)
	if got := exitCode(t, c.Run()); got != 0 {
		t.Errorf("exit code %d", got)
	}
	entries, bad, err := repair.Journal{Dir: filepath.Join(state, "gapctl", "journal")}.Entries()
	if err != nil || len(bad) > 0 || len(entries) != 1 || !entries[0].Ended {
		t.Fatalf("the journal has %+v %v %v", entries, bad, err)
	}
	text, err := os.ReadFile(filepath.Join(state, "gapctl", "journal", entries[0].ID+".jsonl"))
	if err != nil || strings.Contains(string(text), `"kind":"result"`) {
		t.Errorf("%v, the journal has %s", err, text)
	}
}

// TestCommandInterrupted: ctrl-C reaches the command that a replay runs, and the
// replay: neither goes on, the terminal is as before, and the journal is closed.
func TestCommandInterrupted(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	c := startTerminal(t, "replay", "billing", "--execute", "--yes", "-b", l.Addr(), "--exec", "echo process $$; exec sleep 1000")
	before := c.settings()
	c.await("process ")
	c.press("\x03")
	if got := exitCode(t, c.program.Wait()); got != 130 {
		t.Errorf("exit code %d; the terminal shows %q", got, c.written())
	}
	if c.settings() != before {
		t.Error("the terminal is not as it was")
	}
	for _, m := range regexp.MustCompile(`process (\d+)`).FindAllStringSubmatch(c.written(), -1) {
		if _, err := os.Stat(filepath.Join("/proc", m[1])); err == nil {
			t.Errorf("the command goes on: %s", m[0])
		}
	}
	entries, bad, err := repair.Journal{Dir: filepath.Join(dir, "gapctl", "journal")}.Entries()
	if err != nil || len(bad) > 0 || len(entries) != 1 || !entries[0].Ended || entries[0].Undoable() {
		t.Errorf("the journal has %+v %v %v", entries, bad, err)
	}
}
