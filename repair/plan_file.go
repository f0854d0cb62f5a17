package repair

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gapctl/gapctl/inspect"
)

// ErrBadPlan is the class of a file that holds no plan, or one that was changed
// after it was made.
var ErrBadPlan = errors.New("not a valid plan")

// maxPlan bounds the JSON of a plan, in bytes: a thousand partitions with all
// the gaps that fit take 340 MB.
const maxPlan = 512 << 20

// checkSize is nil unless nobody could read the plan again.
func checkSize(size, limit int64) error {
	if size > limit {
		return fmt.Errorf("the plan takes %d bytes or more, the limit is %d: choose fewer partitions", size, limit)
	}
	return nil
}

// ReadPlan reads the JSON of a plan. Unknown fields, another version, a digest
// that does not fit, and a state that is not that of the metadata are
// [ErrBadPlan].
func ReadPlan(r io.Reader) (Plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPlan+1))
	if err != nil {
		return Plan{}, err
	}
	if err := checkSize(int64(len(data)), maxPlan); err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrBadPlan, err)
	}
	p, err := parsePlan(data, false)
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrBadPlan, err)
	}
	return p, nil
}

// parsePlan reads the document; that of a bare plan may lack the gaps.
func parsePlan(data []byte, bare bool) (Plan, error) {
	var d planDocument
	if err := strictly(data, &d); err != nil {
		return Plan{}, err
	}
	if want := (inspect.Head{Kind: "plan", SchemaVersion: inspect.SchemaVersion}); d.Head != want {
		return Plan{}, fmt.Errorf("%q of version %d, want %q of version %d", d.Kind, d.SchemaVersion, want.Kind, want.SchemaVersion)
	}
	op, err := unmarshalOp(d.Op)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{ClusterID: d.ClusterID, Group: d.Group, Op: op, TakenAt: d.TakenAt.Time}
	p.Warnings = append(p.Warnings, d.Warnings...)
	for i, cd := range d.Changes {
		c, err := cd.change(bare)
		if err != nil {
			return Plan{}, fmt.Errorf("change %d: %w", i+1, err)
		}
		if err := errors.Join(c.Before.ownedBy(c.nativeID(d.Group)), c.After.ownedBy(c.nativeID(d.Group))); err != nil {
			return Plan{}, fmt.Errorf("change %d: %w", i+1, err)
		}
		if i > 0 && compareTargets(p.Changes[i-1].Target(), c.Target()) >= 0 {
			return Plan{}, fmt.Errorf("change %d: not in order, or twice", i+1)
		}
		p.Changes = append(p.Changes, c)
	}
	for _, r := range d.Refusals {
		p.Refusals = append(p.Refusals, Refusal(r))
	}
	if p.Digest() != d.Digest || d.ID != planID(d.Digest) || d.Atomic != p.Atomic() {
		return Plan{}, errors.New("the digest does not fit: it was changed after it was made")
	}
	return p, nil
}

func (d changeDocument) change(bare bool) (Change, error) {
	c := Change{Topic: d.Topic, Partition: d.Partition, Copies: d.Copies, Skips: d.Skips, Reprocesses: d.Reprocesses, Why: d.Why}
	id, err := hex.DecodeString(d.TopicID)
	if err != nil || copy(c.TopicID[:], id) != len(c.TopicID) || len(id) != len(c.TopicID) {
		return Change{}, errors.New("topic_id: want 32 hexadecimal digits")
	}
	if d.Before == nil || d.After == nil {
		return Change{}, errors.New("before or after is missing")
	}
	if c.Before, err = d.Before.commit(bare); err != nil {
		return Change{}, fmt.Errorf("before: %w", err)
	}
	if c.After, err = d.After.commit(bare); err != nil {
		return Change{}, fmt.Errorf("after: %w", err)
	}
	return c, nil
}

// SavePlan writes p to a file that only its owner can read: what is committed
// may be confidential. Either the whole plan is there afterwards, or what was
// there before.
func SavePlan(path string, p Plan) error {
	return ReplaceFile(path, 0o600, func(file io.Writer) error {
		w := &planWriter{w: file, limit: maxPlan}
		err := p.write(w, p.Digest())
		w.raw("\n")
		return errors.Join(err, w.end())
	})
}

// LoadPlan reads the plan in a file.
func LoadPlan(path string) (Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return Plan{}, err
	}
	defer f.Close()
	p, err := ReadPlan(f)
	if err != nil {
		return Plan{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}
