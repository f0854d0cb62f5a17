package packaging

import (
	"bytes"
	"fmt"
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

// need skips the test, or fails it where the packages are required, when a
// tool is missing.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, err)
		}
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		missing(t, fmt.Errorf("only root can install into a root of its own"))
	}
}

func missing(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("GAPCTL_REQUIRE_PACKAGE") == "1" {
		t.Fatal(why)
	}
	fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s: %v; set GAPCTL_REQUIRE_PACKAGE=1 to make this a failure\n", t.Name(), why)
	t.Skip(why)
}

func notInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds gapctl for other platforms, or packages it")
	}
}

// succeed runs cmd, and is what it prints on standard output.
func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	return exits(t, cmd, 0)
}

// exits runs cmd, which must exit with code, and is its standard output.
func exits(t *testing.T, cmd *exec.Cmd, code int) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s: %v, want exit code %d\n%s%s", cmd, err, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
