package repair

import (
	"errors"
	"slices"

	"github.com/gapctl/gapctl/gapstore"
)

// Status says what became of one partition.
type Status string

// The statuses.
const (
	Applied      Status = "applied"       // written, read back, and right
	Unchanged    Status = "unchanged"     // it already was what the plan wants
	Conflict     Status = "conflict"      // it has moved since the plan; not written
	Refused      Status = "refused"       // not safe; not written
	Failed       Status = "failed"        // not written
	Unverified   Status = "unverified"    // perhaps written, but not as wanted, or not known
	NotAttempted Status = "not-attempted" // something else failed first
)

// Outcome is what became of one partition.
type Outcome struct {
	Topic     string
	Partition int32
	Status    Status
	After     Commit // what the plan wants; what stands, if Applied or Unchanged
	Copied    int64
	// Others is how many offsets other processes of a replay [Replay.Together]
	// have finished.
	Others int64
	Err    error // why not
}

// Target names the outcome's partition.
func (o Outcome) Target() Target { return Target{Topic: o.Topic, Partition: o.Partition} }

// Result is what became of a plan.
type Result struct {
	// ID names the repair in the journal; "" when it did not get that far.
	ID         string
	Group      string
	PlanDigest string
	Outcomes   []Outcome // of every change and refusal; sorted by topic, then partition
	// Err is why not everything was applied; nil if all was.
	Err error

	final  bool // nothing can undo it
	shared bool // of a share group

	forGood bool // records of a share group were skipped
	team    bool // of one process of a replay together
}

// newResult is the result of p, which has that digest, before anything was
// tried.
func newResult(p Plan, digest string) *Result {
	r := &Result{Group: p.Group, PlanDigest: digest}
	r.final, r.shared = final(p.Op), p.Shared()
	_, r.forGood = p.Op.(ShareSkip)
	r.team = together(p.Op)
	for _, c := range p.Changes {
		r.Outcomes = append(r.Outcomes, Outcome{Topic: c.Topic, Partition: c.Partition, Status: NotAttempted, After: c.After})
	}
	for _, refused := range p.Refusals {
		r.Outcomes = append(r.Outcomes, Outcome{Topic: refused.Topic, Partition: refused.Partition, Status: Refused,
			After: Commit{Offset: gapstore.NoOffset, LeaderEpoch: -1, Err: errors.New(refused.Message)}, Err: errors.New(refused.Message)})
	}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return compareTargets(a.Target(), b.Target()) })
	return r
}

// Count is the number of partitions with that status.
func (r *Result) Count(status Status) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Status == status {
			n++
		}
	}
	return n
}

// Copied is the number of records that were delivered.
func (r *Result) Copied() int64 {
	var n int64
	for _, o := range r.Outcomes {
		n += o.Copied
	}
	return n
}

// outcome is that of a partition of the plan.
func (r *Result) outcome(t Target) *Outcome {
	i, _ := slices.BinarySearchFunc(r.Outcomes, t, func(o Outcome, t Target) int { return compareTargets(o.Target(), t) })
	return &r.Outcomes[i]
}

// set gives a partition of the plan its status.
func (r *Result) set(t Target, status Status, err error) {
	o := r.outcome(t)
	o.Status, o.Err = status, err
}

// setAll gives the partitions of changes one status.
func (r *Result) setAll(changes []Change, status Status, err error) {
	for _, c := range changes {
		r.set(c.Target(), status, err)
	}
}

// of is the outcomes of changes.
func (r *Result) of(changes []Change) []Outcome {
	var outcomes []Outcome
	for _, c := range changes {
		outcomes = append(outcomes, *r.outcome(c.Target()))
	}
	return outcomes
}
