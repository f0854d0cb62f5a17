package packaging

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

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
