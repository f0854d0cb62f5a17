package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// How check ends: a warning that was found comes before what could not be read,
// and that before all being well.
func TestCheckVerdict(t *testing.T) {
	partition := func(levels ...inspect.Level) inspect.Partition {
		p := inspect.Partition{Entry: &gapstore.Entry{}}
		for _, level := range levels {
			p.Findings = append(p.Findings, inspect.Finding{Kind: "stuck", Level: level})
		}
		return p
	}
	broken := inspect.Group{Name: "b", Err: &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "read"}}
	group := func(partitions ...inspect.Partition) inspect.Group {
		return inspect.Group{Name: "a", Partitions: partitions}
	}
	for name, c := range map[string]struct {
		s        inspect.Snapshot
		gathered error
		want     int
		says     string
	}{
		"well":            {inspect.Snapshot{Groups: []inspect.Group{group(partition())}}, nil, exitOK, "nothing to report on 1 group"},
		"only info":       {inspect.Snapshot{Groups: []inspect.Group{group(partition(inspect.LevelInfo))}}, nil, exitOK, ""},
		"warning":         {inspect.Snapshot{Groups: []inspect.Group{group(partition(inspect.LevelInfo, inspect.LevelWarn))}}, nil, exitFindings, "1 warning"},
		"error":           {inspect.Snapshot{Groups: []inspect.Group{group(partition(inspect.LevelError), partition(inspect.LevelError))}}, nil, exitFindings, "2 errors"},
		"unread":          {inspect.Snapshot{Groups: []inspect.Group{group(partition()), broken}}, nil, exitPartial, "group b"},
		"notice":          {inspect.Snapshot{Groups: []inspect.Group{group(partition())}, Notices: []string{"denied"}}, nil, exitPartial, "not everything"},
		"unread, warning": {inspect.Snapshot{Groups: []inspect.Group{group(partition(inspect.LevelWarn)), broken}}, nil, exitFindings, "not read: b: read: unavailable"},
		"no such group":   {inspect.Snapshot{Groups: []inspect.Group{group(partition())}}, fail(exitFailure, "", "no group c"), exitFailure, "no group c"},
	} {
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			a := &app{err: &said, ran: true, getenv: func(string) string { return "" }}
			v := inspect.NewCheckView(c.s)
			o := checkOptions{app: a}
			if got := a.finish(o.judge(&v, c.gathered)); got != c.want || !strings.Contains(said.String(), c.says) {
				t.Errorf("exit code %d, want %d; said %q, want %q", got, c.want, said.String(), c.says)
			}
		})
	}
}

// A result file is replaced as a whole or not at all, and nothing is left behind.
func TestWriteResult(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "gapctl.prom")
	a := &app{}
	write := func(text string, err error) error {
		return a.writeResult(name, func(w io.Writer) error {
			if _, wrote := io.WriteString(w, text); wrote != nil {
				return wrote
			}
			return err
		})
	}
	full := errors.New("no space left on device")
	for _, step := range []struct {
		text string
		err  error
		want string
	}{{"one", nil, "one"}, {"tw", full, "one"}, {"three", nil, "three"}} {
		if err := write(step.text, step.err); !errors.Is(err, step.err) {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != step.want {
			t.Fatalf("the file has %q (%v), want %q", got, err, step.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Fatalf("left behind: %v (%v)", entries, err)
		}
	}
}
