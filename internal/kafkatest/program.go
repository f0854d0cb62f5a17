package kafkatest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"
)

// program is a running interop program that prints JSON lines.
type program struct {
	*process
	t      testing.TB
	class  string
	out    lines
	errors bytes.Buffer // read only after the end
}

// runProgram starts a class of an interop module; it ends with the test.
func (b *Broker) runProgram(module, class string, args []string) *program {
	b.t.Helper()
	built, err := build(module, DefaultVersion)
	if err != nil {
		unavailable(b.t, err)
	}
	p := &program{t: b.t, class: class}
	args = append([]string{"--bootstrap", b.Addr()}, args...)
	cmd := exec.Command("java", javaArgs(built, "io.github.gapctl.interop."+class, args)...)
	cmd.Stdout, cmd.Stderr = &p.out, &p.errors
	if p.process, err = launch(cmd); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { p.end(0) })
	return p
}

// wait returns when the program has ended by itself, with status zero, within
// the time.
func (p *program) wait(limit time.Duration) {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(limit):
		p.end(0)
		p.t.Fatalf("kafkatest: %s still runs after %v\n%s", p.class, limit, tail(p.errors.String(), 40))
	}
	if p.err != nil {
		p.t.Fatalf("kafkatest: %s: %v\n%s", p.class, p.err, tail(p.errors.String(), 40))
	}
}

// lines collects whole lines that a child prints, while it prints them.
type lines struct {
	mu      sync.Mutex
	partial []byte
	whole   [][]byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		line, rest, found := bytes.Cut(l.partial, []byte{'\n'})
		if !found {
			return len(p), nil
		}
		l.whole = append(l.whole, bytes.Clone(line))
		l.partial = rest
	}
}

// decodeLines parses the lines printed so far.
func decodeLines[T any](p *program) []T {
	p.t.Helper()
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	values := make([]T, len(p.out.whole))
	for i, line := range p.out.whole {
		if err := json.Unmarshal(line, &values[i]); err != nil {
			p.t.Fatalf("kafkatest: %s printed %q: %v", p.class, line, err)
		}
	}
	return values
}

// arguments are --name value pairs for a JVM program; empty values are left to
// the program's own defaults.
type arguments []string

func (a *arguments) add(name, value string) {
	if value != "" {
		*a = append(*a, "--"+name, value)
	}
}

// millis is a duration as the JVM programs take it; zero is left out.
func millis(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}
