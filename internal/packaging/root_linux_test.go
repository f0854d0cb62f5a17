package packaging

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// root is an empty machine: not even a shell is in it.
type root string

func newRoot(t *testing.T) root {
	t.Helper()
	r := root(t.TempDir())
	r.open(t)
	return r
}

// open lets others than root into the root, which lies in the folder for
// temporary files.
func (r root) open(t *testing.T) {
	t.Helper()
	for folder := string(r); folder != os.TempDir(); folder = filepath.Dir(folder) {
		check(t, os.Chmod(folder, 0o755))
	}
}

// run is gapctl in the root, as somebody who may nothing.
func (r root) run(args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: "/usr/bin/gapctl", Args: append([]string{"gapctl"}, args...), Dir: "/", Env: []string{},
		SysProcAttr: &syscall.SysProcAttr{Chroot: string(r), Credential: &syscall.Credential{Uid: 65532, Gid: 65532}},
	}
}

// files are the files in /usr of the root, by their absolute paths there.
func (r root) files(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(string(r), "usr"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, string(r)))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return names
}

// checkRuns: gapctl works where there is nothing else: no shell, no C library,
// no /etc, no /tmp, no home.
func checkRuns(t *testing.T, r root) {
	t.Helper()
	if got, want := succeed(t, r.run("version")), "gapctl v1.2.3 (commit "+releaseCommit; !strings.HasPrefix(got, want) {
		t.Errorf("version says %q, want %q", got, want)
	}
	if got := succeed(t, r.run("lab", "--", "list")); !strings.Contains(got, "audit-export") {
		t.Errorf("list says %q", got)
	}
	if got := exits(t, r.run("lab", "--", "check", "ledger"), 3); !strings.Contains(got, "phantom transfers/0") {
		t.Errorf("check says %q", got)
	}
}
