package repair

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

const journalVersion = 1

// The kinds of lines.
const (
	intentKind  = "intent"
	writtenKind = "written"
	batchKind   = "batch"
	outcomeKind = "outcome"
)

type intentLine struct {
	Kind          string    `json:"kind"`
	SchemaVersion int       `json:"schema_version"`
	ID            string    `json:"id"`
	At            time.Time `json:"at"`
	By            string    `json:"by"`
	PID           int       `json:"pid"`
	Via           string    `json:"via"`
	Plan          any       `json:"plan"` // read as the bytes that it is
}

type outcomeLine struct {
	Kind     string            `json:"kind"`
	At       time.Time         `json:"at"`
	Outcomes []RecordedOutcome `json:"outcomes"`
	Error    string            `json:"error,omitempty"`
}

type batchLine struct {
	Kind   string     `json:"kind"`
	At     time.Time  `json:"at"`
	Stands []Standing `json:"stands"`
}

// Standing is what a batch leaves behind in one partition.
type Standing struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Digest    string `json:"digest"` // of the commit
	// Others is true when other processes of a replay [Replay.Together] had
	// written there before: what was there before them is not known here.
	Others bool `json:"others,omitempty"`
}

// record is the file of a repair under way.
type record struct {
	id   string
	file *os.File
	size int64 // of the whole lines, in bytes
}

// intend adds the intent to carry out p, which has that digest, and waits until
// it is on disk.
func (r *record) intend(p Plan, digest string, intent intentLine) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	d.ID, d.Digest = planID(digest), digest
	w := &planWriter{w: r.file, limit: maxPlan, bare: true}
	w.around(intent, `"plan":null`, func() {
		w.raw(`"plan":`)
		w.plan(d, p.Changes)
	})
	w.raw("\n")
	return errors.Join(w.end(), r.file.Sync())
}

// append adds a line and waits until it is on disk.
func (r *record) append(line any) error {
	if err := r.add(line); err != nil {
		return err
	}
	return r.file.Sync()
}

func (r *record) add(line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	n, err := r.file.Write(append(data, '\n'))
	if err != nil {
		// Half a line would spoil the next one, for which there may be room.
		err = errors.Join(err, r.file.Truncate(r.size))
		return err
	}
	r.size += int64(n)
	return nil
}

// batch records what the next batch leaves behind. It outlives the process; it
// does not wait for the disk, as there are many: if the system itself goes down,
// an [Undo] may not know what it finds.
func (r *record) batch(at time.Time, changes []Change) error {
	var stands []Standing
	for _, c := range changes {
		stands = append(stands, Standing{Topic: c.Topic, Partition: c.Partition, Digest: c.After.digest()})
	}
	return r.stands(at, stands)
}

// stands records what a batch has left, or is about to leave.
func (r *record) stands(at time.Time, stands []Standing) error {
	if err := r.add(batchLine{Kind: batchKind, At: at.UTC(), Stands: stands}); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// note records outcomes: of one commit, or of all.
func (r *record) note(kind string, at time.Time, outcomes []Outcome, failure error) error {
	line := outcomeLine{Kind: kind, At: at.UTC(), Outcomes: []RecordedOutcome{}}
	for _, o := range outcomes {
		line.Outcomes = append(line.Outcomes, RecordedOutcome{o.Topic, o.Partition, o.Status, text(o.Err)})
	}
	line.Error = text(failure)
	if err := r.append(line); err != nil {
		return fmt.Errorf("%w: the outcome is not recorded: %w", ErrJournal, err)
	}
	return nil
}

// text is what err says, or "".
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// readEntry reads the file of one repair. Without a whole intent there is no
// entry; a later line that was cut short is as if it were not there.
func readEntry(path string) (Entry, error) {
	if err := isOwn(path); err != nil {
		return Entry{}, err
	}
	file, err := os.Open(path)
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

// isOwn is nil for a file that nobody else can have put there or changed: what
// is read from it may be written to Kafka. Windows tells who may write in other
// ways than by the file's mode.
func isOwn(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: it is no regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: others can write it: look at it, and chmod 600 it", path)
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
