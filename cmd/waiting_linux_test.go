package cmd

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestWaitingIsSaidAtATerminal: who waits is told for what, and how long at most;
// not so in a pipe, or where a machine reads.
func TestWaitingIsSaidAtATerminal(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListGroups}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
	list := []string{"list", "--all", "-b", cluster.ListenAddrs()[0]}
	noEnv := func(string) string { return "" }

	p := newPrompt(t)
	ctx, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, list, World{In: p.line, Out: new(bytes.Buffer), Err: p.line, Getenv: noEnv, Now: time.Now})
	}()
	const asking = "; asking again for up to "
	p.await("the reason", func() bool { return strings.Contains(p.shown(), asking) })
	interrupt(errInterrupted)
	if got := <-code; got != exitInterrupted {
		t.Errorf("exit code %d", got)
	}
	if shown := p.shown(); strings.Count(shown, asking) != 1 || !strings.Contains(shown, "COORDINATOR_LOAD_IN_PROGRESS") {
		t.Errorf("the terminal shows %q", shown)
	}

	for _, more := range [][]string{{"--timeout", "4s"}, {"--timeout", "4s", "-o", "json"}} {
		t.Run(strings.Join(more, " "), func(t *testing.T) {
			t.Parallel()
			terminal := newPrompt(t)
			w := World{In: terminal.line, Out: new(bytes.Buffer), Err: new(bytes.Buffer), Getenv: noEnv, Now: time.Now}
			if len(more) > 2 {
				w.Err = terminal.line
			}
			run(t.Context(), append(list[:len(list):len(list)], more...), w)
			if buffer, ok := w.Err.(*bytes.Buffer); ok && strings.Contains(buffer.String(), asking) || strings.Contains(terminal.shown(), asking) {
				t.Errorf("said: %q %q", w.Err, terminal.shown())
			}
		})
	}
}
