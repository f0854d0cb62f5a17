package inspect

import (
	"cmp"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// DiffView is what became of one snapshot until the next: partitions whose
// commits are equal are only counted.
type DiffView struct {
	Head
	Before     DiffSide        `json:"before"`
	After      DiffSide        `json:"after"`
	Same       int             `json:"same"`   // partitions
	Unread     []string        `json:"unread"` // groups that one of the sides could not read: they are left out
	Partitions []PartitionDiff `json:"partitions"`
}

// DiffSide says where a snapshot is from.
type DiffSide struct {
	ClusterID Name `json:"cluster_id"`
	TakenAt   Time `json:"taken_at"`
}

// Change says how a partition differs.
type Change string

// The changes.
const (
	ChangeMoved      Change = "moved"      // another commit
	ChangeAppeared   Change = "appeared"   // there was none before
	ChangeGone       Change = "gone"       // there is none any more
	ChangeUnreadable Change = "unreadable" // before, after, or both, but not alike
)

// PartitionDiff is how one partition differs. The ranges are empty where one of
// the sides is not known.
type PartitionDiff struct {
	Group     string         `json:"group"`
	Topic     string         `json:"topic"`
	Partition int32          `json:"partition"`
	Change    Change         `json:"change"`
	Before    *PartitionSide `json:"before"`
	After     *PartitionSide `json:"after"`
	// Closed were outstanding and are committed, Opened are outstanding and
	// were not, Still are outstanding in both. Undone were committed and are
	// not any more: they will be processed again.
	Closed codec.Ranges `json:"closed"`
	Opened codec.Ranges `json:"opened"`
	Undone codec.Ranges `json:"undone"`
	Still  codec.Ranges `json:"still"`
	// The counts are of offsets. Committed are those that are committed now
	// and were not, in gaps or beyond max.
	ClosedCount    int64 `json:"closed_count"`
	OpenedCount    int64 `json:"opened_count"`
	UndoneCount    int64 `json:"undone_count"`
	StillCount     int64 `json:"still_count"`
	CommittedCount int64 `json:"committed_count"`
}

// PartitionSide is a partition in one of the snapshots: offsets and counts.
type PartitionSide struct {
	Stable      Count `json:"stable"`
	Max         Count `json:"max"`
	LogStart    Count `json:"log_start"`
	LogEnd      Count `json:"log_end"`
	GapCount    Count `json:"gap_count"`
	Outstanding Count `json:"outstanding"`
	Error       Name  `json:"error"` // the class, where the commit can not be told
}

// NewDiffView compares two snapshots, partition by partition of those in topics.
// A partition that is in one of them only, because it was not asked for in the
// other, is left out.
func NewDiffView(before, after Snapshot, topics Topics) DiffView {
	v := DiffView{
		Head: Head{"diff", SchemaVersion}, Partitions: []PartitionDiff{},
		Before: DiffSide{Name(before.ClusterID), Time{before.TakenAt}}, After: DiffSide{Name(after.ClusterID), Time{after.TakenAt}},
	}
	v.Unread = unreadGroups(before, after)
	old, now := v.side(before, topics), v.side(after, topics)
	for len(old)+len(now) > 0 {
		var order int
		switch {
		case len(now) == 0:
			order = -1
		case len(old) == 0:
			order = 1
		default:
			order = compareKeys(old[0].Key, now[0].Key)
		}
		var a, b *Partition // the next one, before and after
		if order <= 0 {
			a, old = old[0], old[1:]
		}
		if order >= 0 {
			b, now = now[0], now[1:]
		}
		if a == nil && !before.Selection.covers(b) || b == nil && !after.Selection.covers(a) {
			continue // nobody looked
		}
		if d, differs := diffPartition(a, b); differs {
			v.Partitions = append(v.Partitions, d)
		} else {
			v.Same++
		}
	}
	return v
}

// Differs reports whether any commit differs.
func (v DiffView) Differs() bool { return len(v.Partitions) > 0 }

// unreadGroups are the groups that could not be read as a whole, sorted.
func unreadGroups(snapshots ...Snapshot) []string {
	names := []string{}
	for _, s := range snapshots {
		for i := range s.Groups {
			if g := &s.Groups[i]; g.Err != nil && !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// side is the partitions of s to compare, sorted by key.
func (v *DiffView) side(s Snapshot, topics Topics) []*Partition {
	var list []*Partition
	eachPartition(s.Groups, func(p *Partition) {
		_, unread := slices.BinarySearch(v.Unread, p.Group)
		if !unread && topics.Match(p.Topic, p.Partition) {
			list = append(list, p)
		}
	})
	slices.SortFunc(list, func(a, b *Partition) int { return compareKeys(a.Key, b.Key) })
	return list
}

func compareKeys(a, b gapstore.Key) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// diffPartition compares one partition; one of the sides may be nil.
func diffPartition(a, b *Partition) (d PartitionDiff, differs bool) {
	key := cmp.Or(a, b).Key
	d = PartitionDiff{Group: key.Group, Topic: key.Topic, Partition: key.Partition, Before: newSide(a), After: newSide(b)}
	switch {
	case a == nil:
		d.Change = ChangeAppeared
	case b == nil:
		d.Change = ChangeGone
	case !a.HasState() || !b.HasState():
		d.Change = ChangeUnreadable
		return d, a.HasState() != b.HasState() || d.Before.Error != d.After.Error
	default:
		d.Change = ChangeMoved
		d.compare(a.State, b.State)
		return d, a.State.Stable != b.State.Stable || a.State.Max != b.State.Max || !a.State.Gaps.Equal(b.State.Gaps)
	}
	return d, true
}

func newSide(p *Partition) *PartitionSide {
	if p == nil {
		return nil
	}
	s := &PartitionSide{Stable: -1, Max: -1, LogStart: Count(p.LogStart), LogEnd: Count(p.LogEnd), GapCount: -1, Outstanding: -1}
	if p.HasState() {
		s.Stable, s.Max = Count(p.State.Stable), Count(p.State.Max)
		s.GapCount, s.Outstanding = Count(p.State.Gaps.Len()), Count(p.State.Outstanding())
	} else if p.Err != nil {
		s.Error = Name(ErrorClass(p.Err))
	}
	return s
}

func (d *PartitionDiff) compare(a, b codec.State) {
	doneBefore, doneNow := doneRanges(a), doneRanges(b)
	d.Closed, d.Opened, d.Still = a.Gaps.Intersect(doneNow), b.Gaps.Sub(a.Gaps), a.Gaps.Intersect(b.Gaps)
	d.Undone = doneBefore.Sub(doneNow)
	d.ClosedCount, d.OpenedCount, d.StillCount = d.Closed.Count(), d.Opened.Count(), d.Still.Count()
	d.UndoneCount, d.CommittedCount = d.Undone.Count(), doneNow.Sub(doneBefore).Count()
}

// doneRanges is every offset that is committed.
func doneRanges(s codec.State) codec.Ranges { return span(0, max(s.Stable, s.Max)).Sub(s.Gaps) }
