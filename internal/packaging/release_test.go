package packaging

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// The release that the tests make.
const (
	releaseVersion = "1.2.3"
	releaseCommit  = "0123456789abcdef0123456789abcdef01234567"
	releaseDate    = "2026-02-03T04:05:06Z"
)

// release is what .goreleaser.yaml says.
type release struct {
	Before struct{ Hooks []string }
	Builds []struct {
		Main                              string
		Env, Flags, Ldflags, Goos, Goarch []string
	}
	NFPMs []map[string]any `yaml:"nfpms"`
	SBOMs []struct {
		Cmd  string
		Args []string
	} `yaml:"sboms"`
	Casks []struct {
		Manpages    []string
		Completions map[string]string
	} `yaml:"homebrew_casks"`
	Images []struct {
		Dockerfile string
		ExtraFiles []string `yaml:"extra_files"`
		Platforms  []string
	} `yaml:"dockers_v2"`
}

// readRelease expands the templates of .goreleaser.yaml as goreleaser would.
func readRelease(t *testing.T) release {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yaml"))
	check(t, err)
	functions := template.FuncMap{"envOrDefault": func(_, value string) string { return value }}
	parsed, err := template.New("").Funcs(functions).Option("missingkey=error").Parse(string(text))
	check(t, err)
	var expanded bytes.Buffer
	check(t, parsed.Execute(&expanded, map[string]any{
		"ProjectName": "gapctl", "Version": releaseVersion, "FullCommit": releaseCommit,
		"CommitDate": releaseDate, "CommitTimestamp": 1770091506, "Os": "linux", "Arch": "amd64",
		"Env": map[string]string{"HOME": os.Getenv("HOME"), "PATH": os.Getenv("PATH")},
	}))
	var r release
	check(t, yaml.Unmarshal(expanded.Bytes(), &r))
	if len(r.Builds) != 1 || len(r.NFPMs) != 1 || len(r.Casks) != 1 || len(r.Images) != 1 || len(r.SBOMs) != 1 {
		t.Fatal(".goreleaser.yaml has not one of each: the tests would look at only the first")
	}
	return r
}

// build makes the binary of one platform, from the module in folder.
func (r release) build(t *testing.T, folder, goos, goarch string) (path string) {
	t.Helper()
	b := r.Builds[0]
	path = filepath.Join(t.TempDir(), "gapctl")
	args := append([]string{"build"}, b.Flags...)
	args = append(args, "-ldflags", strings.Join(b.Ldflags, " "), "-o", path, b.Main)
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), b.Env...)
	cmd.Env = append(cmd.Env, "GOOS="+goos, "GOARCH="+goarch)
	succeed(t, cmd)
	return path
}
