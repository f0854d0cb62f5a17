//go:build linux

package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a running consumer.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer // read after the end
	ended  chan error
}

func (s *soak) startConsumer(r role) (*process, error) {
	r.Seeds, r.Journal, r.Odd = s.seeds(), s.journal(r.Group), s.path("odd")
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(s.worker, "-test.run=^$"), stderr: new(bytes.Buffer), ended: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), workerEnv+"="+string(text), s.clockOfConsumer())
	p.cmd.Stderr = p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

// clockOfConsumer: some are an hour off, and jump every few seconds.
func (s *soak) clockOfConsumer() string {
	if !s.long || rand.IntN(2) == 0 {
		return clockEnv + "=0 0"
	}
	return fmt.Sprintf("%s=%d %d", clockEnv, rand.IntN(7200)-3600, 3+rand.IntN(10))
}

// end kills the consumer, or asks it to end in good order.
func (p *process) end(kill bool) error {
	defer p.stdin.Close()
	if kill {
		_ = p.cmd.Process.Kill()
		<-p.ended
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.ended:
		return err
	case <-time.After(2 * closeLimit):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it prints its goroutines
		<-p.ended
		return fmt.Errorf("it did not end")
	}
}

func (p *process) tail() string { return tail(p.stderr.String(), 60) }
