package cmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

func TestVerdict(t *testing.T) {
	partition := func(err error) inspect.Partition {
		return inspect.Partition{Entry: &gapstore.Entry{Key: gapstore.Key{Group: "g", Topic: "t"}, Committed: 1, Err: err}}
	}
	denied := &gapstore.Error{Class: gapstore.ErrDenied, Op: "read"}
	gone := &gapstore.Error{Class: gapstore.ErrUnavailable, Op: "read"}
	corrupt := &codec.Error{Class: codec.ErrCorrupt, Position: 3}
	fine := inspect.Group{Name: "fine", Partitions: []inspect.Partition{partition(nil)}}
	with := func(errs ...error) inspect.Group {
		g := inspect.Group{Name: "g"}
		for _, err := range errs {
			g.Partitions = append(g.Partitions, partition(err))
		}
		return g
	}
	cases := []struct {
		name   string
		groups []inspect.Group
		named  bool
		want   int
	}{
		{"nothing there", nil, false, exitOK},
		{"all read", []inspect.Group{fine, {Name: "empty"}}, true, exitOK},
		{"corrupt among all", []inspect.Group{with(corrupt)}, false, exitOK},
		{"corrupt and named", []inspect.Group{with(nil, corrupt), fine}, true, exitCorrupt},
		{"corrupt comes before unread", []inspect.Group{with(gone, corrupt)}, true, exitCorrupt},
		{"one partition unread", []inspect.Group{with(nil, gone)}, true, exitPartial},
		{"one group unread", []inspect.Group{fine, {Name: "x", Err: denied}}, false, exitPartial},
		{"all denied", []inspect.Group{with(denied), {Name: "x", Err: denied}}, false, exitDenied},
		{"none read", []inspect.Group{with(denied), {Name: "x", Err: gone}}, false, exitUnavailable},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var named []string
			if c.named {
				named = []string{"g"}
			}
			got := exitOK
			var f *failure
			if err := verdict(&inspect.Snapshot{Groups: c.groups}, named); errors.As(err, &f) {
				got = f.code
			} else if err != nil {
				t.Fatalf("error %v decides no exit code", err)
			}
			if got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

// TestWantsJSON: errors are JSON whenever -o json is asked for, even when the
// flags can not be parsed.
func TestWantsJSON(t *testing.T) {
	cases := []struct {
		args string
		env  string
		want bool
	}{
		{"list -o json", "", true}, {"list -ojson", "", true}, {"list --output=json --bad", "", true},
		{"list --output json", "", true}, {"list -o=json", "", true}, {"list", "json", true},
		{"list -o table", "json", false}, {"list -o", "", false}, {"lab -- list -o json", "", false}, {"list -o yaml", "", false},
	}
	for _, c := range cases {
		a := &app{args: strings.Fields(c.args), getenv: func(string) string { return c.env }}
		if got := a.wantsJSON(); got != c.want {
			t.Errorf("%q with GAPCTL_OUTPUT=%q: %v, want %v", c.args, c.env, got, c.want)
		}
	}
}
