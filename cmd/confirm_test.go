package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/repair"
)

// Only y and yes are yes; whatever else declines.
func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, "yes\n": true, "YES\r\n": true, " y \n": true, "y": true,
		"": false, "\n": false, "n\n": false, "no\n": false, "yep\n": false, "yn\n": false, "\ny\n": false, "why not\ny\n": false,
	} {
		var out bytes.Buffer
		got, err := confirm(t.Context(), strings.NewReader(answer), &out, "Sure? [y/N] ")
		if err != nil || got != want || out.String() != "Sure? [y/N] " {
			t.Errorf("%q: %v %v, asked %q", answer, got, err, out.String())
		}
	}
}

// A signal ends the question.
func TestConfirmInterrupted(t *testing.T) {
	in, answers := io.Pipe()
	defer answers.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	if yes, err := confirm(ctx, in, io.Discard, "Sure?"); yes || !errors.Is(err, errInterrupted) {
		t.Errorf("%v %v", yes, err)
	}
}

// Who is asked sees the plan, with its counts, on standard error; who declines
// ends with the code for it, and nothing on standard output.
func TestApproveShowsThePlan(t *testing.T) {
	for answer, code := range map[string]int{"y\n": exitOK, "\n": exitDeclined, "": exitDeclined} {
		var out, errOut bytes.Buffer
		a := &app{in: strings.NewReader(answer), out: &out, err: &errOut, getenv: func(string) string { return "" }, ran: true}
		plan := repair.Plan{Group: "billing", Op: repair.Compact{}, Changes: []repair.Change{{Topic: "orders", Skips: 17, Reprocesses: 4}}}
		_, err := a.approve(t.Context(), plan, execution{execute: true})
		if got := a.finish(err); got != code || out.Len() > 0 {
			t.Errorf("%q: exit code %d, want %d; standard output %q", answer, got, code, out.String())
		}
		for _, shown := range []string{"billing", "orders/0", "17 outstanding records skipped", "4 finished records processed again", "[y/N]"} {
			if !strings.Contains(errOut.String(), shown) {
				t.Errorf("%q is not shown: %s", shown, errOut.String())
			}
		}
	}
}
