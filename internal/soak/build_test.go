//go:build linux

package soak

import (
	"os"
	"os/exec"
	"path/filepath"
)

// build makes gapctl. In the long form, gapctl and the consumers are built with
// a clock that can jump, which takes a minute.
func (s *soak) build() {
	s.t.Helper()
	s.binary, s.worker = s.path("gapctl"), os.Args[0]
	if !s.long {
		s.t.Log("LEFT OUT: the clocks of gapctl and of its consumers jump only in the long form")
		s.runGo("build", "-o", s.binary, "github.com/gapctl/gapctl")
		return
	}
	list, err := overlay(s.overlayDir())
	if err != nil {
		s.t.Logf("LEFT OUT: the clocks of gapctl and of its consumers don't jump: %v", err)
		s.runGo("build", "-o", s.binary, "github.com/gapctl/gapctl")
		return
	}
	s.worker = s.path("worker")
	s.runGo("build", "-overlay", list, "-o", s.binary, "github.com/gapctl/gapctl")
	s.runGo("test", "-c", "-overlay", list, "-o", s.worker, "github.com/gapctl/gapctl/internal/soak")
}

// overlayDir stays the same, so that what is built is found in the cache.
func (s *soak) overlayDir() string {
	user, err := os.UserCacheDir()
	if err != nil {
		return s.dir
	}
	dir := filepath.Join(user, "gapctl-test", "clock")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return s.dir
	}
	return dir
}

func (s *soak) runGo(args ...string) {
	s.t.Helper()
	if out, err := exec.CommandContext(s.t.Context(), "go", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("go %q: %v\n%s", args, err, out)
	}
}
