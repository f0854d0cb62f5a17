package repair

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// Entry is one repair as the journal has it.
type Entry struct {
	ID  string
	At  time.Time // when it began
	By  string    // who approved it
	Via string    // how
	PID int
	// Plan has what was there, and what was to be.
	Plan Plan
	// Outcomes are the statuses as far as they were recorded.
	Outcomes []RecordedOutcome
	// Left are the states that a [Replay] was about to leave behind, batch by
	// batch: one of them stands where it was stopped half way.
	Left []Standing
	// Ended is false when no outcome was recorded: the process ended in the
	// middle, or is still at it.
	Ended bool
}

// RecordedOutcome is what became of one partition, as recorded.
type RecordedOutcome struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Status    Status `json:"status"`
	Error     string `json:"error,omitempty"`
}

// Undoable reports whether the repair may have written something that can be
// taken back.
func (e Entry) Undoable() bool {
	if final(e.Plan.Op) {
		return false
	}
	for _, o := range e.Outcomes {
		if o.Status == Applied || o.Status == Unverified {
			return true
		}
	}
	return !e.Ended || len(e.Left) > 0
}

// final reports whether nothing can take back what op does.
func final(op Op) bool {
	switch op.(type) {
	case ShareSkip, ShareReplay:
		return true
	}
	return false
}

// administrator is the user who can do all there is on the machine.
const administrator = 0

// readEntry reads the file of one repair. Without a whole intent there is no
// entry; a later line that was cut short is as if it were not there.
func readEntry(path string) (Entry, error) {
	file, err := openOwn(path, os.Geteuid())
	if err != nil {
		return Entry{}, err
	}
	defer file.Close()
	lines := bufio.NewReader(io.LimitReader(file, 2*maxPlan))
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return Entry{}, fmt.Errorf("%s: the intent is cut short: %w", path, err)
	}
	e, err := parseIntent(first)
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", path, err)
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return e, nil
		}
		var o struct {
			outcomeLine
			Stands []Standing `json:"stands"`
		}
		if json.Unmarshal(line, &o) != nil {
			continue
		}
		e.Left = append(e.Left, o.Stands...)
		e.Outcomes = append(e.Outcomes, o.Outcomes...)
		if o.Kind == outcomeKind {
			e.Ended, e.Outcomes = true, o.Outcomes
		}
	}
}

// openOwn opens a file that nobody but user, or the machine's administrator, can
// have put there or changed: what is read from it may be written to Kafka. It is
// judged by what was opened, as a name in a directory that others can write may
// mean another file a moment later.
func openOwn(path string, user int) (*os.File, error) {
	named, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !named.Mode().IsRegular(): // a pipe would be waited for
		return nil, fmt.Errorf("%s: it is no regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := isOwn(file, named, user); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return file, nil
}

// isOwn is nil when file is the one that was named, and user's alone. Windows
// tells who may write in other ways than by the file's mode and its owner.
func isOwn(file *os.File, named fs.FileInfo, user int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	owner, known := ownerOf(info)
	switch {
	case !os.SameFile(info, named):
		return errors.New("another file took its place")
	case known && owner != user && owner != administrator:
		return errors.New("it belongs to another user: look at it, and make it yours with chown")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return errors.New("others can write it: look at it, and chmod 600 it")
	}
	return nil
}

func parseIntent(line []byte) (Entry, error) {
	var plan json.RawMessage
	intent := intentLine{Plan: &plan}
	if err := strictly(line, &intent); err != nil {
		return Entry{}, fmt.Errorf("the intent can not be read: %w", err)
	}
	if intent.Kind != intentKind || intent.SchemaVersion != journalVersion {
		return Entry{}, fmt.Errorf("%q of version %d, want %q of version %d", intent.Kind, intent.SchemaVersion, intentKind, journalVersion)
	}
	p, err := parsePlan(plan, true)
	if err != nil {
		return Entry{}, fmt.Errorf("the plan in it: %w", err)
	}
	return Entry{ID: intent.ID, At: intent.At, By: intent.By, Via: intent.Via, PID: intent.PID, Plan: p}, nil
}
