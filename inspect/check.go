package inspect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// Evidence is what a check knows beyond the snapshot. The zero value is none:
// what rests on evidence is then not found. [FindEvidence] adds what the cluster
// has to be asked for.
type Evidence struct {
	// StuckAfter is from which age on a gap is stuck, and an open transaction
	// a warning.
	StuckAfter time.Duration
	// Earlier is the same groups as they were Elapsed before the snapshot was
	// taken; nil without a second sample.
	Earlier *Snapshot
	Elapsed time.Duration

	transactions *openTransactions // nil when not asked for
	sample       *sample           // nil when not read
}

// FindEvidence reads what a check of s rests on: which gaps hold no records,
// which transactions are open, and, unless skipRecords, a sample of the records.
// It judges s anew. Notices of s say what could not be found out. The error is
// that no more records could be read; what was found until then stays.
func FindEvidence(ctx context.Context, store *gapstore.Store, s *Snapshot, e *Evidence, skipRecords bool) error {
	var notices []string
	e.transactions, notices = findTransactions(ctx, store, s)
	s.Notices = append(s.Notices, notices...)
	if skipRecords {
		return nil
	}
	if err := FindPhantoms(ctx, store, s); err != nil {
		return err
	}
	sample := newSample(s.Groups)
	notices, err := sample.read(ctx, store)
	s.Notices = append(s.Notices, notices...)
	if err == nil {
		e.sample = sample
	}
	return err
}

// Check adds to the findings of s what the evidence shows: a pure function of
// both. A finding with evidence takes the place of the one of its kind.
func Check(s *Snapshot, e *Evidence) {
	c := &checking{Evidence: e, now: s.TakenAt, earlier: map[gapstore.Key]*Partition{}}
	if e.Earlier != nil {
		eachPartition(e.Earlier.Groups, func(p *Partition) { c.earlier[p.Key] = p })
	}
	rules := []checkRule{c.stuck, c.forecast, c.explainTransaction, c.restart, c.poison}
	for i := range s.Groups {
		g := &s.Groups[i]
		c.suspects = e.sample.suspects(g, c.stuckBefore())
		for k := range g.Partitions {
			p := &g.Partitions[k]
			for _, rule := range rules {
				if f := rule(g, p); f != nil {
					p.replaceFinding(*f)
				}
			}
		}
	}
}

// checking is a check under way.
type checking struct {
	*Evidence
	now      time.Time
	earlier  map[gapstore.Key]*Partition
	suspects []suspect // of the group whose turn it is
}

// stuckBefore is when what is stuck now was written at the latest.
func (c *checking) stuckBefore() time.Time { return c.now.Add(-c.StuckAfter) }

// A checkRule is a rule that rests on evidence.
type checkRule func(g *Group, p *Partition) *Finding

// replaceFinding keeps the findings sorted by kind, with one of each.
func (p *Partition) replaceFinding(f Finding) {
	at, found := slices.BinarySearchFunc(p.Findings, f.Kind, func(f Finding, kind string) int { return cmp.Compare(f.Kind, kind) })
	if found {
		p.Findings[at] = f
		return
	}
	p.Findings = slices.Insert(p.Findings, at, f)
}

// ago is how long before now t was, in words.
func (c *checking) ago(t time.Time) string {
	return string(Time{t}.appendAge(nil, Time{c.now}))
}
