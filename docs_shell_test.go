package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/lab"
)

// shell is where the commands of one section run.
type shell struct {
	t      *testing.T
	addr   string // of its lab
	dir    string
	env    []string
	status int // of the command before
}

func newShell(t *testing.T) *shell {
	t.Helper()
	l, err := lab.Start(t.Context(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	dir, home := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "docs", "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &shell{t: t, addr: l.Addr(), dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"GAPCTL_BOOTSTRAP_SERVER=" + l.Addr(),
	}}
}

// run is what a command prints on standard output and standard error together.
// It may end with 0, or with 3, which is what check found; after any other
// status the next command has to be one that shows it, $ echo $?.
func (s *shell) run(command string) []string {
	s.t.Helper()
	if s.status != 0 && s.status != 3 && command != "echo $?" {
		s.t.Errorf("before $ %s: the command ended with %d, which is not shown", command, s.status)
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", "(exit "+strconv.Itoa(s.status)+")\n"+command)
	c.Dir, c.Env = s.dir, s.env
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("$ %s: %v", command, err)
	}
	s.status = c.ProcessState.ExitCode()
	var lines []string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

func (s *shell) pictures() map[string][]byte {
	files, err := filepath.Glob(filepath.Join(s.dir, "docs", "images", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	drawn := map[string][]byte{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		drawn[filepath.Base(file)] = content
	}
	return drawn
}
