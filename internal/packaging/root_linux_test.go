package packaging

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// root is an empty machine: not even a shell is in it.
type root string

func newRoot(t *testing.T) root {
	t.Helper()
	folder := t.TempDir()
	check(t, os.Chmod(folder, 0o755)) // others than root must get in
	for parent := filepath.Dir(folder); parent != os.TempDir(); parent = filepath.Dir(parent) {
		check(t, os.Chmod(parent, 0o755))
	}
	return root(folder)
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

// packageFormat is how a kind of packages is handled by the system's own tool.
type packageFormat struct {
	name    string
	tools   []string
	zsh     string    // the folder where zsh looks for completions
	licence [2]string // where it is installed, and what it is in the repository
	install func(t *testing.T, r root, path string)
	remove  func(*testing.T, root)
	version func(*testing.T, root) string
}

func deb() packageFormat {
	tool := func(t *testing.T, r root, name string, args ...string) string {
		return succeed(t, exec.Command(name, append([]string{"--root=" + string(r)}, args...)...))
	}
	return packageFormat{
		name: "deb", tools: []string{"dpkg", "dpkg-query"},
		zsh: "/usr/share/zsh/vendor-completions", licence: [2]string{"/usr/share/doc/gapctl/copyright", "internal/packaging/copyright"},
		install: func(t *testing.T, r root, path string) {
			for _, folder := range []string{"info", "updates", "triggers"} {
				check(t, os.MkdirAll(filepath.Join(string(r), "var/lib/dpkg", folder), 0o755))
			}
			check(t, os.WriteFile(filepath.Join(string(r), "var/lib/dpkg/status"), nil, 0o644))
			tool(t, r, "dpkg", "--install", path)
		},
		remove: func(t *testing.T, r root) { tool(t, r, "dpkg", "--purge", "gapctl") },
		version: func(t *testing.T, r root) string {
			return tool(t, r, "dpkg-query", "--show", "--showformat=${Version}", "gapctl")
		},
	}
}

func rpm() packageFormat {
	tool := func(t *testing.T, r root, args ...string) string {
		return succeed(t, exec.Command("rpm", append([]string{"--root", string(r), "--dbpath", "/var/lib/rpm"}, args...)...))
	}
	return packageFormat{
		name: "rpm", tools: []string{"rpm"},
		zsh: "/usr/share/zsh/site-functions", licence: [2]string{"/usr/share/licenses/gapctl/LICENSE", "LICENSE"},
		install: func(t *testing.T, r root, path string) {
			tool(t, r, "--initdb")
			tool(t, r, "--install", path)
		},
		remove:  func(t *testing.T, r root) { tool(t, r, "--erase", "gapctl") },
		version: func(t *testing.T, r root) string { return tool(t, r, "--query", "--queryformat=%{VERSION}", "gapctl") },
	}
}

// checkInstalled compares what is installed with what the repository has.
func checkInstalled(t *testing.T, r root, format packageFormat) {
	t.Helper()
	want := map[string]string{ // where it is installed: what it is in the repository
		"/usr/bin/gapctl":                                  "",
		format.licence[0]:                                  format.licence[1],
		"/usr/share/doc/gapctl/README.md":                  "README.md",
		"/usr/share/bash-completion/completions/gapctl":    "completions/gapctl.bash",
		"/usr/share/fish/vendor_completions.d/gapctl.fish": "completions/gapctl.fish",
		format.zsh + "/_gapctl":                            "completions/_gapctl",
	}
	for _, folder := range []string{"man", "docs/examples"} {
		entries, err := os.ReadDir(filepath.Join("..", "..", folder))
		check(t, err)
		for _, entry := range entries {
			name := folder + "/" + entry.Name()
			if folder == "man" {
				want["/usr/share/man/man"+name[len(name)-1:]+"/"+entry.Name()+".gz"] = name
			} else {
				want["/usr/share/doc/gapctl/examples/"+entry.Name()] = name
			}
		}
	}
	got := r.files(t)
	for _, path := range got {
		source, known := want[path]
		if !known {
			t.Errorf("%s is installed, from nowhere", path)
			continue
		}
		checkFile(t, filepath.Join(string(r), path), source)
	}
	for path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("%s is not installed", path)
		}
	}
}

// checkFile: an installed file belongs to root, only root may write to it, and
// it says what its source does. The binary has no source.
func checkFile(t *testing.T, path, source string) {
	t.Helper()
	info, err := os.Stat(path)
	check(t, err)
	mode := fs.FileMode(0o644)
	if source == "" {
		mode = 0o755
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 0 || owner.Gid != 0 || info.Mode() != mode && !strings.HasSuffix(source, ".sh") {
		t.Errorf("%s has mode %v, and the owner %d:%d", path, info.Mode(), owner.Uid, owner.Gid)
	}
	if source == "" {
		return
	}
	want, err := os.ReadFile(filepath.Join("..", "..", source))
	check(t, err)
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	var content io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		content, err = gzip.NewReader(f)
		check(t, err)
	}
	got, err := io.ReadAll(content)
	check(t, err)
	if string(got) != string(want) {
		t.Errorf("%s is not %s", path, source)
	}
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
