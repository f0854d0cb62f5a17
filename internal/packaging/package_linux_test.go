package packaging

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// nfpm is what goreleaser makes packages with; here it does it alone.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// makePackage makes a package in a given format, from a copy of the source of
// its own, and is its path.
func (r release) makePackage(t *testing.T, format, program string) string {
	t.Helper()
	source := copySource(t)
	for _, hook := range r.Before.Hooks {
		cmd := exec.Command("sh", "-c", hook)
		cmd.Dir = source
		succeed(t, cmd)
	}
	config, err := yaml.Marshal(r.packageConfig(program))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(source, "nfpm.yaml"), config, 0o644))
	target := filepath.Join(t.TempDir(), "gapctl."+format)
	// The tool has versions of its own, whatever the go.mod here says.
	cmd := exec.Command("go", "run", nfpm, "package", "-f", "nfpm.yaml", "-p", format, "-t", target)
	cmd.Dir = source
	succeed(t, cmd)
	return target
}

// packageConfig is the section nfpms in nfpm's own words.
func (r release) packageConfig(program string) map[string]any {
	config := map[string]any{}
	for key, value := range r.NFPMs[0] {
		switch key {
		case "package_name":
			config["name"] = value
		case "contents":
			binary := map[string]any{"src": program, "dst": r.NFPMs[0]["bindir"].(string) + "/gapctl", "file_info": map[string]any{"mode": 0o755}}
			config["contents"] = append([]any{binary}, value.([]any)...)
		case "formats", "bindir":
		default:
			config[key] = value
		}
	}
	config["arch"], config["platform"], config["version"] = "amd64", "linux", releaseVersion
	return config
}

// TestPackages makes each package twice, which gives the same bytes; installs
// it into an empty root; runs gapctl there, as somebody without rights; and
// removes it without a trace.
func TestPackages(t *testing.T) {
	notInShort(t)
	r := readRelease(t)
	program := r.build(t, filepath.Join("..", ".."), "linux", "amd64")
	for _, format := range []packageFormat{deb(), rpm()} {
		t.Run(format.name, func(t *testing.T) {
			need(t, format.tools...)
			needRoot(t)
			path := r.makePackage(t, format.name, program)
			first, err := os.ReadFile(path)
			check(t, err)
			second, err := os.ReadFile(r.makePackage(t, format.name, program))
			check(t, err)
			if !bytes.Equal(first, second) {
				t.Error("two packages of the same release differ")
			}
			root := newRoot(t)
			format.install(t, root, path)
			if got := format.version(t, root); got != releaseVersion {
				t.Errorf("version %q is installed", got)
			}
			checkInstalled(t, root, format)
			checkRuns(t, root)
			format.remove(t, root)
			if left := root.files(t); len(left) > 0 {
				t.Errorf("it leaves %q behind", left)
			}
		})
	}
}
