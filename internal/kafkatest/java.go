package kafkatest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Java is a command that runs a class of the broker's own jars, such as
// org.apache.kafka.tools.consumer.group.ConsumerGroupCommand, with the broker's
// version. It is killed when the test ends.
func (b *Broker) Java(class string, args ...string) *exec.Cmd {
	return exec.CommandContext(b.t.Context(), "java", javaArgs(b.module, class, args)...)
}

// Tool runs a class as Java does and returns what it prints on standard output.
// A status other than zero fails the test.
func (b *Broker) Tool(class string, args ...string) string {
	b.t.Helper()
	cmd := b.Java(class, args...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("kafkatest: %s %q: %v\n%s%s", class, args, err, out, tail(errors.String(), 40))
	}
	return string(out)
}

// javaArgs run a class quietly in a JVM that is to live for seconds.
func javaArgs(m module, class string, args []string) []string {
	return append([]string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", m.classpath(), class}, args...)
}

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
