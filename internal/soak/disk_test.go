//go:build linux

package soak

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

const (
	diskNode = 2 // the node whose disk is small
	diskSize = "size=400m"
	block    = 64 << 10
)

// disk is a small file system that holds the log of one broker. A nil disk
// can't be filled.
type disk struct{ dir string }

// newDisk mounts one, for which the test has to be root.
func newDisk(s *soak) *disk {
	s.t.Helper()
	dir := s.path("disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, diskSize); err != nil {
		s.t.Logf("LEFT OUT: no disk fills: mount: %v", err)
		return nil
	}
	s.t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			s.t.Error(err)
		}
	})
	return &disk{dir}
}

func (d *disk) options(node int) []kafkatest.Option {
	if d == nil || node != diskNode {
		return nil
	}
	return []kafkatest.Option{kafkatest.Data(filepath.Join(d.dir, "data"))}
}

// fill leaves no room.
func (d *disk) fill() error {
	file, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	for size := block; size > 0; { // the last bytes too
		if _, err = file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			return err
		}
	}
	return nil
}

// free gives the room back.
func (d *disk) free() error { return os.Remove(d.ballast()) }

func (d *disk) ballast() string { return filepath.Join(d.dir, "ballast") }
