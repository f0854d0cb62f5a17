package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestContainer builds the image as goreleaser would lay it out, and runs what
// the image says, as the user whom it says.
func TestContainer(t *testing.T) {
	notInShort(t)
	need(t, "buildah")
	needRoot(t)
	r := readRelease(t)
	folder := t.TempDir()
	for _, file := range r.Images[0].ExtraFiles {
		copyFile(t, file, filepath.Join(folder, file))
	}
	store := t.TempDir()
	buildah := func(args ...string) string {
		return strings.TrimSpace(succeed(t, exec.Command("buildah", append([]string{"--storage-driver", "vfs", "--root", store, "--runroot", t.TempDir()}, args...)...)))
	}
	platform := r.Images[0].Platforms[0]
	copyFile(t, r.build(t, filepath.Join("..", ".."), "linux", "amd64"), filepath.Join(folder, platform, "gapctl"))
	image := buildah("build", "--quiet", "--isolation", "chroot", "--platform", platform, "--timestamp", "0",
		"--file", filepath.Join("..", "..", r.Images[0].Dockerfile), folder)
	var said struct {
		OCIv1 struct {
			Config struct {
				User       string
				Env        []string
				Entrypoint []string
			}
		}
	}
	check(t, json.Unmarshal([]byte(buildah("inspect", "--type", "image", image)), &said))
	config := said.OCIv1.Config
	if config.User != "65532:65532" || !slices.Equal(config.Entrypoint, []string{"/usr/bin/gapctl"}) || !slices.Contains(config.Env, "XDG_STATE_HOME=/state") {
		t.Errorf("the image says %+v", config)
	}
	inside := root(buildah("mount", buildah("from", "--pull-never", image)))
	inside.open(t)
	if got, want := inside.files(t), []string{"/usr/bin/gapctl"}; !slices.Equal(got, want) {
		t.Errorf("the image has %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(string(inside), "etc/ssl/certs/ca-certificates.crt")); err != nil {
		t.Error("no certificates of public authorities:", err)
	}
	checkRuns(t, inside)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(to), 0o755))
	succeed(t, exec.Command("cp", from, to))
}
