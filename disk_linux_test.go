package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/internal/lab"
	"github.com/gapctl/gapctl/repair"
)

// TestFullDisk: wherever room for the journal ends, gapctl says so. Either
// nothing was written to Kafka, or the journal has what undoes it.
func TestFullDisk(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	gaps := func() string {
		c, out, _ := ownProcess(t, "gaps", "billing", "-b", l.Addr(), "-o", "csv")
		check(t, c.Run())
		return out.String()
	}
	program, err := os.Executable()
	check(t, err)
	link := filepath.Join(t.TempDir(), "gapctl")
	check(t, os.Symlink(program, link))
	outcomes := map[int]bool{}
	for blocks := range 8 { // of 512 bytes
		c, _, errs := ownProcess(t)
		state := t.TempDir()
		c.Path = "/bin/sh"
		c.Args = []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" skip billing orders/0@%d --execute --yes -b %s -o json`, blocks, 833+blocks%4, l.Addr()), link}
		c.Env = append(c.Env, "XDG_STATE_HOME="+state)
		before := gaps()
		code := exitCode(t, c.Run())
		outcomes[code] = true
		dir := filepath.Join(state, "gapctl", "journal")
		entries, bad, err := repair.Journal{Dir: dir}.Entries()
		check(t, err)
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		check(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			check(t, err)
			if !strings.HasSuffix(string(text), "\n") {
				t.Errorf("%d blocks: half a line is left at the end of %q", blocks, text)
			}
		}
		if len(bad) > 0 {
			t.Errorf("%d blocks: the journal has what can not be read: %v", blocks, bad)
		}
		switch changed := gaps() != before; {
		case changed && (len(entries) != 1 || !entries[0].Undoable()):
			t.Errorf("%d blocks: it has written, and the journal has %+v", blocks, entries)
		case !changed && len(entries) > 0:
			t.Errorf("%d blocks: it has written nothing, and the journal has %+v", blocks, entries)
		case !changed && blocks < 4 && (code != 1 || !strings.Contains(errs.String(), "file too large")):
			t.Errorf("%d blocks: exit code %d, %q", blocks, code, errs)
		}
	}
	if !outcomes[0] || !outcomes[1] {
		t.Errorf("the limits were all too large or all too small: %v", outcomes)
	}
}

// TestFullDiskPlan: a plan that there is no room for leaves the one that was
// there before, and nothing else; and gapctl says so.
func TestFullDiskPlan(t *testing.T) {
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	program, err := os.Executable()
	check(t, err)
	link := filepath.Join(t.TempDir(), "gapctl")
	check(t, os.Symlink(program, link))
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.json")
	check(t, os.WriteFile(plan, []byte("before"), 0o600))
	for blocks, want := range map[int]int{0: 1, 1: 1, 1000: 0} {
		c, _, errs := ownProcess(t)
		c.Path = "/bin/sh"
		c.Args = []string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" skip billing orders/0@833 --plan %s -b %s`, blocks, plan, l.Addr()), link}
		code := exitCode(t, c.Run())
		text, err := os.ReadFile(plan)
		check(t, err)
		files, err := os.ReadDir(dir)
		check(t, err)
		switch {
		case code != want || len(files) != 1:
			t.Errorf("%d blocks: exit code %d, %q, %v", blocks, code, errs, files)
		case want == 1 && (string(text) != "before" || !strings.Contains(errs.String(), "plan.json: file too large")):
			t.Errorf("%d blocks: the plan is %q, and it says %q", blocks, text, errs)
		case want == 0:
			_, err := repair.LoadPlan(plan)
			check(t, err)
			check(t, os.WriteFile(plan, []byte("before"), 0o600))
		}
	}
}
