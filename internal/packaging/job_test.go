package packaging

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/lab"
)

// job is what the jobs of docs/examples find when they run: gapctl, a cluster
// full of trouble, and a properties file that leads there.
type job struct {
	program    string // the path of gapctl
	folder     string // a folder of its own
	properties string // the path of client.properties
	env        []string
}

func newJob(t *testing.T) job {
	t.Helper()
	notInShort(t)
	need(t, "sh")
	l, err := lab.Start(t.Context(), lab.Options{Now: time.Now()})
	check(t, err)
	t.Cleanup(func() { _ = l.Close() })
	j := job{folder: t.TempDir()}
	j.program = filepath.Join(j.folder, "bin", "gapctl")
	succeed(t, exec.Command("go", "build", "-o", j.program, filepath.Join("..", "..")))
	j.properties = filepath.Join(j.folder, "client.properties")
	check(t, os.WriteFile(j.properties, []byte("bootstrap.servers="+l.Addr()+"\n"), 0o600))
	j.env = []string{"PATH=" + filepath.Dir(j.program) + ":" + os.Getenv("PATH"), "HOME=" + j.folder, "XDG_STATE_HOME=" + filepath.Join(j.folder, "state")}
	return j
}

// command is a program in the world of the job.
func (j job) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(j.env, "GAPCTL_COMMAND_CONFIG="+j.properties)
	cmd.Dir = j.folder
	return cmd
}

// checkFigures: the file is what Prometheus' node exporter picks up.
func checkFigures(t *testing.T, path string) {
	t.Helper()
	figures, err := os.ReadFile(path)
	check(t, err)
	for _, want := range []string{"gapctl_check_timestamp_seconds", `gapctl_group_read{group="ledger"} 1`} {
		if !strings.Contains(string(figures), want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
}

// findings are those of a group, one on each line.
func (j job) findings(t *testing.T, group string) string {
	t.Helper()
	cmd := j.command(j.program, "check", group, "-o", "jq=.findings[].kind")
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 3 {
		t.Fatal(err)
	}
	return string(out)
}

func example(name string) string { return filepath.Join("..", "..", "docs", "examples", name) }

// TestCompactScript: the script compacts what can be compacted, tries again
// after a failure that passes, and leaves a group with members alone.
func TestCompactScript(t *testing.T) {
	j := newJob(t)
	script, err := filepath.Abs(example("gapctl-compact.sh"))
	check(t, err)
	for _, group := range []string{"audit-export", "ledger"} {
		if found := j.findings(t, group); !strings.Contains(found, "lost") && !strings.Contains(found, "phantom") {
			t.Fatalf("%s has only %q: there is nothing to compact", group, found)
		}
	}
	succeed(t, j.command("sh", script))
	for _, group := range []string{"audit-export", "ledger"} {
		if found := j.findings(t, group); strings.Contains(found, "lost") || strings.Contains(found, "phantom") {
			t.Errorf("%s still has %q", group, found)
		}
	}
	succeed(t, j.command("sh", script))             // nothing is left to be done
	succeed(t, j.command("sh", script, "checkout")) // it has a member
	exits(t, j.command("sh", script, "absent"), 1)
}

// TestCompactScriptTriesAgain has a gapctl that fails before it works.
func TestCompactScriptTriesAgain(t *testing.T) {
	need(t, "sh")
	script, err := filepath.Abs(example("gapctl-compact.sh"))
	check(t, err)
	for _, c := range []struct {
		name, codes    string
		want, attempts int
	}{
		{"no answer, conflict, done", "8 4 0", 0, 3},
		{"never an answer", "8 8 8 8", 8, 3},
		{"a password that is wrong", "9 0", 9, 1},
		{"written, but not as planned", "11 0", 11, 1},
		{"members", "5 0", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			fake := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> calls\nset -- %s\nshift $(($(wc -l < calls) - 1))\nexit $1\n", c.codes)
			check(t, os.WriteFile(filepath.Join(folder, "gapctl"), []byte(fake), 0o755))
			cmd := exec.Command("sh", script, "billing")
			cmd.Dir = folder
			cmd.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "TRIES=3", "PAUSE=0"}
			exits(t, cmd, c.want)
			calls, err := os.ReadFile(filepath.Join(folder, "calls"))
			check(t, err)
			if want := strings.Repeat("compact billing --execute --yes\n", c.attempts); string(calls) != want {
				t.Errorf("it ran %q, want %q", calls, want)
			}
		})
	}
}
