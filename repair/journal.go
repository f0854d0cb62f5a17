package repair

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Journal is the directory in which repairs are recorded, a file for each.
//
// A file is JSON lines. The first, "intent", is on disk before anything is
// written to Kafka: who, when, and the plan, which has what was there byte for
// byte. A line "written" follows each commit, and "outcome" is the last. Where
// that is missing, the process ended in the middle: what stands then is, for
// each partition, what the plan says of before or of after.
type Journal struct {
	// Dir is made, for its owner alone, when the first repair is recorded.
	Dir string
}

// ErrJournal is the class of a journal that can not be read or written.
var ErrJournal = errors.New("journal")

// journalFile is the name of a repair's file: its ID, and the extension.
var journalFile = regexp.MustCompile(`^([0-9]{8}T[0-9]{6}Z(-[0-9]{1,4})?)\.jsonl$`)

const (
	journalExtension = ".jsonl"
	journalIDLayout  = "20060102T150405Z"
	// maxSameSecond bounds the repairs that begin within one second.
	maxSameSecond = 1000
)

// begin records the intent to apply p, which a approves. When it returns, the
// intent is on disk.
func (j Journal) begin(p Plan, a Approval, at time.Time) (*entryFile, error) {
	f, err := j.create(at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	err = f.intend(p, a.digest, intentLine{
		Kind: intentKind, SchemaVersion: journalVersion, ID: f.id, At: at.UTC(), By: a.by, PID: os.Getpid(), Via: a.via,
	})
	if err == nil {
		err = syncDir(j.Dir)
	}
	if err != nil {
		// A half-written intent stands for nothing: nothing was done.
		err = errors.Join(err, f.file.Close(), os.Remove(f.file.Name()))
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return f, nil
}

// create makes the file of a repair that begins at at, under an ID that no
// other has.
func (j Journal) create(at time.Time) (*entryFile, error) {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return nil, err
	}
	id := at.UTC().Format(journalIDLayout)
	for n := 2; ; n++ {
		file, err := os.OpenFile(filepath.Join(j.Dir, id+journalExtension), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		switch {
		case err == nil:
			return &entryFile{id: id, file: file}, nil
		case !errors.Is(err, fs.ErrExist) || n > maxSameSecond:
			return nil, err
		}
		id = fmt.Sprintf("%s-%d", at.UTC().Format(journalIDLayout), n)
	}
}

// Entry reads one repair. The error is of class [ErrJournal]; it is also
// fs.ErrNotExist when there is no such repair.
func (j Journal) Entry(id string) (Entry, error) {
	name := id + journalExtension
	if !journalFile.MatchString(name) {
		return Entry{}, fmt.Errorf("%w: %q is no ID of a repair: %w", ErrJournal, id, fs.ErrNotExist)
	}
	e, err := readEntry(filepath.Join(j.Dir, name))
	switch {
	case err != nil:
		return Entry{}, fmt.Errorf("%w: %w", ErrJournal, err)
	case e.ID != id:
		return Entry{}, fmt.Errorf("%w: the file of %s is that of %q", ErrJournal, id, e.ID)
	}
	return e, nil
}

// Entries reads all repairs, the newest first. What can not be read is left
// out, and told in the second list. There may be no journal yet.
func (j Journal) Entries() ([]Entry, []error, error) {
	files, err := os.ReadDir(j.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	var entries []Entry
	var bad []error
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), journalExtension)
		if !ok || !journalFile.MatchString(f.Name()) {
			continue
		}
		e, err := j.Entry(id)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return b.At.Compare(a.At) })
	return entries, bad, nil
}
