package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

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

// entryFile is the file of a repair under way.
type entryFile struct {
	id   string
	file *os.File
	size int64 // of the whole lines, in bytes
}

// intend adds the intent to carry out p, which has that digest, and waits until
// it is on disk.
func (f *entryFile) intend(p Plan, digest string, intent intentLine) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	d.ID, d.Digest = planID(digest), digest
	w := &planWriter{w: f.file, limit: maxPlan, bare: true}
	w.around(intent, `"plan":null`, func() {
		w.raw(`"plan":`)
		w.plan(d, p.Changes)
	})
	w.raw("\n")
	err = errors.Join(w.end(), f.file.Sync())
	f.size = w.size
	return err
}

// append adds a line and waits until it is on disk.
func (f *entryFile) append(line any) error {
	if err := f.add(line); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *entryFile) add(line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	n, err := f.file.Write(append(data, '\n'))
	if err != nil {
		// Half a line would spoil the next one, for which there may be room.
		err = errors.Join(err, f.file.Truncate(f.size))
		return err
	}
	f.size += int64(n)
	return nil
}

// batch records what the next batch leaves behind. It outlives the process; it
// does not wait for the disk, as there are many: if the system itself goes down,
// an [Undo] may not know what it finds.
func (f *entryFile) batch(at time.Time, changes []Change) error {
	var stands []Standing
	for _, c := range changes {
		stands = append(stands, Standing{Topic: c.Topic, Partition: c.Partition, Digest: c.After.digest()})
	}
	return f.stands(at, stands)
}

// stands records what a batch has left in some partitions, or is about to leave.
func (f *entryFile) stands(at time.Time, stands []Standing) error {
	if err := f.add(batchLine{Kind: batchKind, At: at.UTC(), Stands: stands}); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// note records outcomes: of one commit, or of all.
func (f *entryFile) note(kind string, at time.Time, outcomes []Outcome, failure error) error {
	line := outcomeLine{Kind: kind, At: at.UTC(), Outcomes: []RecordedOutcome{}}
	for _, o := range outcomes {
		line.Outcomes = append(line.Outcomes, RecordedOutcome{o.Topic, o.Partition, o.Status, errorText(o.Err)})
	}
	line.Error = errorText(failure)
	if err := f.append(line); err != nil {
		return fmt.Errorf("%w: the outcome is not recorded: %w", ErrJournal, err)
	}
	return nil
}

// errorText is what err says, or "".
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
