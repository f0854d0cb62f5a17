package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// descriptionLimit bounds what is read of one description, in bytes: that of
// 60,000 partitions with 100 gaps each has a third of it.
const descriptionLimit = 1 << 30

// savedDescription is what is asked of a describe document.
type savedDescription struct {
	Kind          string        `json:"kind"`
	SchemaVersion int           `json:"schema_version"`
	ClusterID     string        `json:"cluster_id"`
	TakenAt       time.Time     `json:"taken_at"`
	Selection     SelectionView `json:"selection"` // documents had none at first
	Groups        []savedGroup  `json:"groups"`
}

type savedGroup struct {
	Group      string           `json:"group"`
	Partitions []savedPartition `json:"partitions"`
	Error      *savedError      `json:"error"`
}

type savedPartition struct {
	Topic     *string      `json:"topic"`
	Partition *int32       `json:"partition"`
	Format    *string      `json:"format"`
	Stable    *int64       `json:"stable"`
	Max       *int64       `json:"max"`
	LogStart  *int64       `json:"log_start"`
	LogEnd    *int64       `json:"log_end"`
	Gaps      codec.Ranges `json:"gaps"`
	Error     *savedError  `json:"error"`
}

// ReadDescription reads a describe document as [DescribeView] is written in
// JSON, as far as it tells of commits. The document is not trusted: the error
// says what is wrong with it.
func ReadDescription(r io.Reader) (Snapshot, error) {
	limited := &io.LimitedReader{R: r, N: descriptionLimit}
	dec := json.NewDecoder(limited)
	var doc savedDescription
	if err := dec.Decode(&doc); err != nil {
		if limited.N <= 0 {
			return Snapshot{}, fmt.Errorf("it has more than %d bytes", descriptionLimit)
		}
		return Snapshot{}, describeJSONError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Snapshot{}, errors.New("something follows the document")
	}
	switch {
	case doc.Kind != "describe":
		return Snapshot{}, fmt.Errorf("it is of the kind %q, want \"describe\"", doc.Kind)
	case doc.SchemaVersion != SchemaVersion:
		return Snapshot{}, fmt.Errorf("it is of the schema version %d, want %d", doc.SchemaVersion, SchemaVersion)
	}
	selection, err := doc.Selection.selection()
	if err != nil {
		return Snapshot{}, err
	}
	s, err := doc.snapshot()
	s.Selection = selection
	return s, err
}

func describeJSONError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is cut short")
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON, at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("at byte %d, %q can not be a %s", kind.Offset, kind.Field, kind.Value)
	}
	return err
}

func (doc *savedDescription) snapshot() (Snapshot, error) {
	s := Snapshot{ClusterID: doc.ClusterID, TakenAt: doc.TakenAt, Groups: make([]Group, len(doc.Groups))}
	seen := map[gapstore.Key]bool{}
	for i, g := range doc.Groups {
		s.Groups[i] = Group{Name: g.Group, Partitions: make([]Partition, len(g.Partitions))}
		if g.Error != nil {
			s.Groups[i].Err = g.Error
		}
		for k := range g.Partitions {
			p, err := g.Partitions[k].partition(g.Group)
			if err != nil {
				return Snapshot{}, fmt.Errorf("group %q, partition at position %d: %w", g.Group, k, err)
			}
			if seen[p.Key] {
				return Snapshot{}, fmt.Errorf("%s is there twice", p.Key)
			}
			seen[p.Key] = true
			s.Groups[i].Partitions[k] = p
		}
	}
	return s, nil
}

func (d *savedPartition) partition(group string) (Partition, error) {
	known := func(n *int64) int64 {
		if n == nil {
			return unknown
		}
		return *n
	}
	if d.Topic == nil || d.Partition == nil || *d.Partition < 0 {
		return Partition{}, errors.New("it has no topic and partition")
	}
	p := Partition{
		Entry:    &gapstore.Entry{Key: gapstore.Key{Group: group, Topic: *d.Topic, Partition: *d.Partition}, Committed: unknown},
		LogStart: known(d.LogStart), LogEnd: known(d.LogEnd), LastStable: unknown, LogEpoch: -1,
	}
	if d.Format != nil {
		p.Format = *d.Format
	}
	switch {
	case d.Stable == nil && d.Error == nil:
		return p, nil
	case d.Stable == nil:
		p.Err = d.Error
		return p, nil
	case d.Max == nil || *d.Stable < 0 || *d.Max < *d.Stable:
		return p, fmt.Errorf("stable is %d, and max is %d or missing", *d.Stable, known(d.Max))
	}
	p.Committed = *d.Stable
	p.State = codec.State{Stable: *d.Stable, Max: *d.Max, Gaps: d.Gaps}
	return p, nil
}

// savedError is an error as a document tells it.
type savedError struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

func (e *savedError) Error() string { return e.Message }

// Is makes it the error of its class.
func (e *savedError) Is(target error) bool {
	class := ErrorClass(target)
	return class == e.Class && class != "failure"
}
