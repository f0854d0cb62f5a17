package repair

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Without a journal nothing is applied.
func TestUnwritableJournal(t *testing.T) {
	s := fakeScene(t)
	p, old := s.plan(skipBoth()), s.stands()
	inTheWay := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.journal.Dir = filepath.Join(inTheWay, "journal")
	var w wire
	if r := s.apply(w.dial(s), p); !errors.Is(r.Err, ErrJournal) || r.Count(NotAttempted) != 2 {
		t.Errorf("%+v", r)
	}
	if len(w.steps) > 0 || s.stands() != old {
		t.Errorf("asked for %v all the same", w.steps)
	}
}

// The intent is on disk, with all that was there, before anything is written;
// what happens to the file later loses no more than what was damaged.
func TestDamagedJournal(t *testing.T) {
	s := fakeScene(t)
	old := s.stands()
	if r := s.apply(s.dial, s.plan(skipBoth())); r.Err != nil {
		t.Fatal(r.Err)
	}
	path := s.journalFile()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	rewrite := func(text string) ([]Entry, []error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		entries, bad, err := s.journal.Entries()
		if err != nil {
			t.Fatal(err)
		}
		return entries, bad
	}
	for name, text := range map[string]string{
		"no outcome":    lines[0],
		"cut outcome":   lines[0] + lines[1] + lines[2][:len(lines[2])/2],
		"noise between": lines[0] + "\x00\xff{]\n" + lines[1],
	} {
		entries, bad := rewrite(text)
		if len(bad) > 0 || len(entries) != 1 || entries[0].Ended || !entries[0].Undoable() || entries[0].Plan.Changes[0].Before.Metadata != old[0].Metadata {
			t.Errorf("%s: %+v %v", name, entries, bad)
		}
	}
	for name, text := range map[string]string{
		"empty":        "",
		"cut intent":   lines[0][:len(lines[0])/2],
		"changed":      strings.Replace(lines[0], `"committed":3,`, `"committed":4,`, 1),
		"other change": strings.Replace(lines[0], `"group":"billing"`, `"group":"bolling"`, 1),
		"not JSON":     "once upon a time\n",
	} {
		if entries, bad := rewrite(text); len(bad) != 1 || len(entries) != 0 || !errors.Is(bad[0], ErrJournal) {
			t.Errorf("%s: %+v %v", name, entries, bad)
		}
	}
	id := strings.TrimSuffix(filepath.Base(path), journalExtension)
	outside := strings.Replace(string(whole), id, "../planted", 1) // it even says that this is its ID
	if err := os.WriteFile(filepath.Join(s.journal.Dir, "..", "planted"+journalExtension), []byte(outside), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err := s.journal.Entry("../planted"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path for an ID: %+v %v", e, err)
	}
}

// A repair that somebody else put into the journal is not read, however its file
// may be used; nor is one that takes the place of the file that was looked at.
func TestForeignJournal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file's owner is told in other ways")
	}
	s := fakeScene(t)
	if r := s.apply(s.dial, s.plan(skipBoth())); r.Err != nil {
		t.Fatal(r.Err)
	}
	path, me := s.journalFile(), os.Geteuid()
	file, err := openOwn(path, me)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	named, err := os.Lstat(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := isOwn(file, named, me); err == nil {
		t.Error("the file that was opened is not the one that was looked at, and it is taken")
	}
	for _, mode := range []os.FileMode{0o620, 0o602} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := openOwn(path, me); err == nil || !strings.Contains(err.Error(), "others can write it") {
			t.Errorf("of mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if me != administrator {
		if _, err := openOwn(path, me+1); err == nil {
			t.Error("the file of another user is taken")
		}
		return
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if entries, bad, err := s.journal.Entries(); err != nil || len(entries) != 0 || len(bad) != 1 || !strings.Contains(bad[0].Error(), "belongs to another user") {
		t.Errorf("%+v %v %v", entries, bad, err)
	}
	if _, err := openOwn(path, 12345); err != nil {
		t.Errorf("its owner can not read it: %v", err)
	}
	if err := os.Chown(path, administrator, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := openOwn(path, 12345); err != nil {
		t.Errorf("what the administrator has written is not read: %v", err)
	}
}
