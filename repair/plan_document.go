package repair

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// planDocument is a plan as JSON has it.
type planDocument struct {
	inspect.Head
	ID        string            `json:"id"`
	Digest    string            `json:"digest"`
	ClusterID string            `json:"cluster_id"`
	Group     string            `json:"group"`
	Op        json.RawMessage   `json:"op"`
	TakenAt   inspect.Time      `json:"taken_at"`
	Atomic    bool              `json:"atomic"` // all changes fit one commit
	Changes   []changeDocument  `json:"changes"`
	Refusals  []refusalDocument `json:"refusals"`
	Warnings  []string          `json:"warnings,omitempty"` // plans had none at first
}

type changeDocument struct {
	Topic       string          `json:"topic"`
	Partition   int32           `json:"partition"`
	TopicID     string          `json:"topic_id"` // 32 hexadecimal digits
	Before      *commitDocument `json:"before"`
	After       *commitDocument `json:"after"`
	Copies      int64           `json:"copies"`
	Skips       int64           `json:"skips"`
	Reprocesses int64           `json:"reprocesses"`
	Why         string          `json:"why"`
}

type refusalDocument struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Message   string `json:"message"`
}

// commitDocument is a commit: its bytes, and what they mean. Metadata that is
// not UTF-8 is base64. Where nothing is committed, Committed is null. Gaps may
// be null in a journal, as they follow from the bytes.
type commitDocument struct {
	Committed        *int64           `json:"committed"`
	LeaderEpoch      *int32           `json:"leader_epoch"`
	Metadata         string           `json:"metadata"`
	MetadataEncoding *string          `json:"metadata_encoding"`
	Format           *string          `json:"format"`
	Encoding         *string          `json:"encoding"`
	Records          []recordDocument `json:"records"` // of the native topic
	Stable           *int64           `json:"stable"`
	Max              *int64           `json:"max"`
	Gaps             *strictRanges    `json:"gaps"`
	GapCount         *int64           `json:"gap_count"`
	Outstanding      *int64           `json:"outstanding"`
	Size             int64            `json:"size"`
}

// recordDocument is a record of the native topic, in base64.
type recordDocument struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

const base64Encoding = "base64"

// orNil is nil for the zero value of a field.
func orNil[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// document is c without its gaps, which [planWriter] writes.
func (c Commit) document() commitDocument {
	d := commitDocument{
		Metadata: c.Metadata, Size: c.size(), Records: []recordDocument{}, Gaps: &strictRanges{},
		Format: orNil(c.Format), Encoding: orNil(c.Encoding),
	}
	for _, r := range c.Records {
		d.Records = append(d.Records, recordDocument(r))
	}
	if c.LeaderEpoch >= 0 {
		d.LeaderEpoch = &c.LeaderEpoch
	}
	if !c.none() {
		d.Committed = &c.Offset
	}
	if !utf8.ValidString(c.Metadata) {
		d.Metadata, d.MetadataEncoding = base64.StdEncoding.EncodeToString([]byte(c.Metadata)), orNil(base64Encoding)
	}
	if c.Err == nil && !c.none() {
		count, outstanding := int64(c.State.Gaps.Len()), c.State.Outstanding()
		d.Stable, d.Max, d.GapCount, d.Outstanding = &c.State.Stable, &c.State.Max, &count, &outstanding
	}
	return d
}

// gaps are those that c's bytes say.
func (c Commit) gaps() codec.Ranges {
	if c.Err != nil || c.none() {
		return codec.Ranges{}
	}
	return c.State.Gaps
}

// commit reads the bytes alone, and insists that the rest of d follows; of a
// bare plan the gaps may be null.
func (d commitDocument) commit(bare bool) (Commit, error) {
	metadata, epoch := d.Metadata, int32(-1)
	if d.MetadataEncoding != nil {
		raw, err := base64.StdEncoding.DecodeString(metadata)
		if err != nil || *d.MetadataEncoding != base64Encoding {
			return Commit{}, errors.New("metadata is not in base64")
		}
		metadata = string(raw)
	}
	if d.LeaderEpoch != nil {
		epoch = *d.LeaderEpoch
	}
	if d.Committed != nil && *d.Committed < 0 {
		return Commit{}, fmt.Errorf("committed offset %d is negative", *d.Committed)
	}
	var records []codec.Record
	for _, r := range d.Records {
		records = append(records, codec.Record(r))
	}
	c := noCommit()
	if d.Committed != nil {
		c = newCommit(*d.Committed, epoch, metadata).with(records)
	}
	meant := c.document()
	same := d.Gaps == nil && bare || d.Gaps != nil && d.Gaps.Equal(c.gaps())
	d.Gaps = meant.Gaps
	said, err := json.Marshal(d)
	if err != nil {
		return Commit{}, err
	}
	if follows, err := json.Marshal(meant); err != nil || !same || !bytes.Equal(said, follows) {
		return Commit{}, errors.New("what it says of the commit is not what its bytes say")
	}
	return c, nil
}

// document is the plan without its changes and its digest.
func (p Plan) document() (planDocument, error) {
	op, err := marshalOp(p.Op)
	d := planDocument{
		Head: inspect.Head{Kind: "plan", SchemaVersion: inspect.SchemaVersion}, ClusterID: p.ClusterID, Group: p.Group,
		Op: op, TakenAt: inspect.Time{Time: p.TakenAt}, Atomic: p.Atomic(), Changes: []changeDocument{}, Refusals: []refusalDocument{},
		Warnings: p.Warnings,
	}
	for _, r := range p.Refusals {
		d.Refusals = append(d.Refusals, refusalDocument(r))
	}
	return d, err
}

// document is the change without its commits.
func (c Change) document() changeDocument {
	return changeDocument{
		Topic: c.Topic, Partition: c.Partition, TopicID: hex.EncodeToString(c.TopicID[:]),
		Copies: c.Copies, Skips: c.Skips, Reprocesses: c.Reprocesses, Why: c.Why,
	}
}

// Digest is the SHA-256 of the plan's JSON without id and digest, in
// hexadecimal: two plans have the same digest only if they say the same.
func (p Plan) Digest() string {
	sum := sha256.New()
	if err := p.write(&planWriter{w: sum}, ""); err != nil {
		return "" // of no plan that this package makes
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// planID is what names a plan of that digest.
func planID(digest string) string { return digest[:min(12, len(digest))] }

// WriteJSON writes the plan's document, which [ReadPlan] reads.
func (p Plan) WriteJSON(w io.Writer) error { return p.write(&planWriter{w: w}, p.Digest()) }

// write writes the document with that digest. It is made twice, once for the
// digest's sake, rather than kept: plans may be large.
func (p Plan) write(w *planWriter, digest string) error {
	d, err := p.document()
	if err != nil {
		return err
	}
	d.ID, d.Digest = planID(digest), digest
	w.plan(d, p.Changes)
	return w.end()
}
