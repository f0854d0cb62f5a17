//go:build unix

package kafkatest

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// ownGroup keeps a terminal's Ctrl-C from reaching the child before the test
// has ended it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true} }

func askToStop(p *os.Process) { _ = unix.Kill(p.Pid, unix.SIGTERM) }

func killGroup(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }

// tryLock takes the lock of an open file if nobody has it. The lock goes with
// the file, so a test binary that dies leaves nothing locked.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
