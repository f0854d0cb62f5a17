package cmd

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestHostilePrint: what -f prints of a record on a terminal is shown, and does
// not drive it.
func TestHostilePrint(t *testing.T) {
	s := evilScene(t)
	p := newPrompt(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := run(ctx, []string{"records", evil, "-f", `%k %s %h printed\n`, "-b", s.addr, "--topic", "orders/0"}, World{
		In: strings.NewReader(""), Out: p.line, Err: p.line, Getenv: func(string) string { return "" }, Now: time.Now,
	})
	p.await("the record", func() bool { return strings.Contains(p.shown(), "printed") })
	if shown := strings.ReplaceAll(p.shown(), "\r\n", "\n"); code != exitOK || acts(shown) || !strings.Contains(shown, "owned") {
		t.Errorf("exit code %d, the terminal shows %q", code, shown)
	}
}
