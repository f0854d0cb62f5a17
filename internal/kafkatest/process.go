package kafkatest

import (
	"fmt"
	"io"
	"os/exec"
	"time"
)

const stopGrace = 20 * time.Second // for a clean shutdown, before the kill

// process is a child that can't outlive the test binary: it watches its
// standard input and halts when that ends.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	done  chan struct{} // closed once the child is gone and err is set
	err   error
}

// launch starts the command in a process group of its own.
func launch(cmd *exec.Cmd) (*process, error) {
	ownGroup(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("kafkatest: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("kafkatest: %w", err)
	}
	p := &process{cmd: cmd, input: input, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// end asks the child to stop, kills its group after the grace period (at once
// when that is zero) and returns when it is gone.
func (p *process) end(grace time.Duration) {
	if grace > 0 {
		askToStop(p.cmd.Process)
		select {
		case <-p.done:
			return
		case <-time.After(grace):
		}
	}
	if p.running() {
		killGroup(p.cmd.Process)
	}
	<-p.done
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}
