package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"golang.org/x/sys/unix"

	"github.com/gapctl/gapctl/inspect"
)

// prompt is a terminal with somebody at it, who reads and types.
type prompt struct {
	t       *testing.T
	control *os.File // what the person has
	line    *os.File // what the program has

	mu   sync.Mutex
	seen bytes.Buffer
}

func newPrompt(t *testing.T) *prompt {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &prompt{t: t, control: control, line: line}
	go func() { _, _ = io.Copy(p, control) }() // it ends when the terminal is closed
	t.Cleanup(func() {
		line.Close()
		control.Close()
	})
	return p
}

// Write takes what the terminal shows.
func (p *prompt) Write(shown []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(shown)
}

func (p *prompt) shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// await waits until the condition holds.
func (p *prompt) await(what string, holds func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s: not within a minute; the terminal shows %q", what, p.shown())
		}
	}
}

// echoes reports whether the terminal shows what is typed.
func (p *prompt) echoes() bool {
	p.t.Helper()
	settings, err := unix.IoctlGetTermios(int(p.line.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return settings.Lflag&unix.ECHO != 0
}

func (p *prompt) typed(keys string) {
	p.t.Helper()
	if _, err := p.control.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// TestPassword: a password that is missing is asked for on the terminal, where
// nobody sees it, neither while it is typed nor after.
func TestPassword(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	for _, c := range []struct {
		name, user, keys string
		want             int
	}{
		{"right", "alice", "s3cret\r", exitOK},
		{"wrong", "alice", "s3creT\r", exitUnavailable}, // kfake only closes the connection
		{"interrupted", "ali\x1b]0;owned\x07ce", "", exitInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPrompt(t)
			ctx, interrupt := context.WithCancelCause(t.Context())
			defer interrupt(nil)
			var out bytes.Buffer
			code := make(chan int, 1)
			go func() {
				code <- run(ctx, []string{"list", "--all", "-b", cluster.ListenAddrs()[0], "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=" + c.user},
					World{In: p.line, Out: &out, Err: p.line, Getenv: func(string) string { return "" }, Now: time.Now})
			}()
			p.await("the question", func() bool {
				return strings.Contains(p.shown(), "Password of "+inspect.Clean(c.user)+": ") && !p.echoes()
			})
			if c.keys == "" {
				interrupt(errInterrupted)
			} else {
				p.typed(c.keys)
			}
			select {
			case got := <-code:
				if got != c.want {
					t.Errorf("exit code %d, want %d; the terminal shows %q", got, c.want, p.shown())
				}
			case <-time.After(time.Minute):
				t.Fatal("it does not end")
			}
			if !p.echoes() {
				t.Error("the terminal no longer shows what is typed")
			}
			if all := p.shown() + out.String(); strings.Contains(strings.ToLower(all), "s3cret") {
				t.Errorf("the password is to be seen in %q", all)
			}
		})
	}
}
