package packaging

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlatforms: gapctl builds for each platform of a release, without C, and
// without a path of the machine that builds it.
func TestPlatforms(t *testing.T) {
	notInShort(t)
	r := readRelease(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	want := []string{"linux", "darwin", "windows"}
	if !slices.Equal(r.Builds[0].Goos, want) || !slices.Equal(r.Builds[0].Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("a release is for %v on %v", r.Builds[0].Goos, r.Builds[0].Goarch)
	}
	for _, goos := range r.Builds[0].Goos {
		for _, goarch := range r.Builds[0].Goarch {
			t.Run(goos+"-"+goarch, func(t *testing.T) {
				path := r.build(t, root, goos, goarch)
				info, err := buildinfo.ReadFile(path)
				check(t, err)
				settings := map[string]string{}
				for _, s := range info.Settings {
					settings[s.Key] = s.Value
				}
				if settings["GOOS"] != goos || settings["GOARCH"] != goarch || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
					t.Errorf("it was built with %v", settings)
				}
				program, err := os.ReadFile(path)
				check(t, err)
				if strings.Contains(string(program), root) {
					t.Errorf("it holds the path %s", root)
				}
			})
		}
	}
}

// TestReproducible: the same source gives the same bytes in another folder, and
// at another time.
func TestReproducible(t *testing.T) {
	notInShort(t)
	r := readRelease(t)
	var sums [2][sha256.Size]byte
	for i := range sums {
		program, err := os.ReadFile(r.build(t, copySource(t), "linux", "amd64"))
		check(t, err)
		sums[i] = sha256.Sum256(program)
	}
	if sums[0] != sums[1] {
		t.Error("two builds of the same source differ")
	}
}

// copySource is a copy of the module's source, in a folder of its own.
func copySource(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "main.go", "cmd", "codec", "gapstore", "inspect", "repair", "internal", "man", "completions", "docs", "LICENSE", "README.md"} {
		succeed(t, exec.Command("cp", "-r", filepath.Join("..", "..", name), folder))
	}
	return folder
}

// TestVersion: a release knows its version, commit and date, in each output.
func TestVersion(t *testing.T) {
	notInShort(t)
	r := readRelease(t)
	program := r.build(t, filepath.Join("..", ".."), "", "")
	if got, want := succeed(t, exec.Command(program, "version")), "gapctl v1.2.3 (commit "+releaseCommit+" of "+releaseDate+")\n"; got != want {
		t.Errorf("version says %q, want %q", got, want)
	}
	var v struct{ Version, Commit, Date string }
	check(t, json.Unmarshal([]byte(succeed(t, exec.Command(program, "version", "-o", "json"))), &v))
	if v.Version != "v1.2.3" || v.Commit != releaseCommit || v.Date != releaseDate {
		t.Errorf("the JSON has %+v", v)
	}
}

// TestBillOfMaterials: the release's own command lists every module that is in
// the binary, in its version, and gives the same bytes twice.
func TestBillOfMaterials(t *testing.T) {
	notInShort(t)
	r := readRelease(t)
	program := r.build(t, filepath.Join("..", ".."), "linux", "amd64")
	var documents [2]string
	for i := range documents {
		path := filepath.Join(t.TempDir(), "gapctl.cdx.json")
		args := slices.Clone(r.SBOMs[0].Args)
		for j, arg := range args {
			args[j] = strings.NewReplacer("$document", path, "$artifact", program).Replace(arg)
		}
		cmd := exec.Command(r.SBOMs[0].Cmd, args...)
		cmd.Dir = t.TempDir() // outside of the module: the tool has versions of its own
		succeed(t, cmd)
		document, err := os.ReadFile(path)
		check(t, err)
		documents[i] = string(document)
	}
	if documents[0] != documents[1] {
		t.Error("the bill of the same binary differs")
	}
	info, err := buildinfo.ReadFile(program)
	check(t, err)
	if len(info.Deps) < 10 {
		t.Fatalf("the binary has only %d modules: the test sees nothing", len(info.Deps))
	}
	for _, module := range info.Deps {
		if purl := "pkg:golang/" + module.Path + "@" + module.Version; !strings.Contains(documents[0], purl) {
			t.Errorf("%s is not in the bill of materials", purl)
		}
	}
}

// TestCask: Homebrew links every manual page, and the completions.
func TestCask(t *testing.T) {
	cask := readRelease(t).Casks[0]
	pages, err := filepath.Glob(filepath.Join("..", "..", "man", "*"))
	check(t, err)
	var want []string
	for _, page := range pages {
		want = append(want, "man/"+filepath.Base(page))
	}
	if !slices.Equal(cask.Manpages, want) {
		t.Errorf("manpages of homebrew_casks in .goreleaser.yaml are %q, want %q", cask.Manpages, want)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if _, err := os.Stat(filepath.Join("..", "..", cask.Completions[shell])); err != nil {
			t.Errorf("completions for %s: %v", shell, err)
		}
	}
}
