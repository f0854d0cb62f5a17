package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gapctl/gapctl/cmd"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gapctl": runGapctl})
}

// runGapctl is the real command at a fixed time, so that ages stay the same.
func runGapctl() {
	w := cmd.Process()
	w.Now = func() time.Time { return time.Date(2026, time.March, 14, 3, 12, 0, 0, time.UTC) }
	os.Exit(cmd.Main(os.Args[1:], w))
}

// TestScripts runs the transcripts: the real command in a process of its own,
// with standard output, standard error and exit code pinned. With -update the
// outputs that a transcript compares with are rewritten.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

var update = flag.Bool("update", false, "rewrite the outputs in testdata/script")

// exits is "exits CODE PROGRAM ARG…": it runs the program and fails unless it
// exits with exactly that code. What it printed is compared as after exec.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// TestNowhereToWrite: a reader that has seen enough is no error; a full disk is.
func TestNowhereToWrite(t *testing.T) {
	cases := []struct {
		name string
		out  io.Writer
		want int
	}{
		{"closed pipe", closedPipe(t), 0},
		{"full disk", failingWriter{}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := cmd.World{In: os.Stdin, Out: c.out, Err: io.Discard, Getenv: func(string) string { return "" }, Now: time.Now}
			for _, verb := range []string{"version", "help"} {
				if got := cmd.Main([]string{verb}, w); got != c.want {
					t.Errorf("%s: exit code %d, want %d", verb, got, c.want)
				}
			}
		})
	}
}

func closedPipe(t *testing.T) io.Writer {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
