package kafkatest

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

func ownGroup(*exec.Cmd) {}

// askToStop kills: Windows has no signal that a JVM takes as a request.
func askToStop(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }

// tryLock takes the lock of an open file if nobody has it. The lock goes with
// the file, so a test binary that dies leaves nothing locked.
func tryLock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
