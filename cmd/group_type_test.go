package cmd

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// TestGroupsOfOtherTypes: a plan, or an undo, for a group that is gone since, or
// whose name is that of a group of another type by now, is refused in words, and
// never taken for done.
func TestGroupsOfOtherTypes(t *testing.T) {
	s := newSharedScene(t)
	s.want("skip billing orders/0@3 --plan DIR/consumers.json", exitOK)
	s.want("skip shipping orders/0@7 --plan DIR/skip.json", exitOK)
	s.want("replay shipping --rejected --to-topic retry --plan DIR/replay.json", exitOK)
	s.want("skip billing orders/0@4 --execute --yes", exitOK)
	consumers := s.repairs()[0].ID
	s.want("reset shipping --to-offset 5 --execute --yes", exitOK)
	shared := s.repairs()[0].ID

	s.deleteGroups("billing", "shipping")
	s.want("apply DIR/consumers.json --yes", exitConflict, "the commit has changed")
	s.want("apply DIR/skip.json --yes", exitConflict, "share group shipping is gone")
	s.want("apply DIR/replay.json --yes", exitConflict, "share group shipping is gone")

	s.deleteGroups("billing") // which to look made anew, empty
	s.gapCommit("shipping", "orders")
	s.shareGroup("billing", "orders")
	s.want("apply DIR/consumers.json --yes", exitConflict, "billing is a share group now")
	s.want("apply DIR/skip.json --yes", exitConflict, "shipping is no share group any more")
	s.want("apply DIR/replay.json --yes", exitConflict, "shipping is no share group any more")
	s.want("undo "+consumers, exitRefused, "billing is a share group")
	s.want("undo "+shared, exitRefused, "shipping is no share group any more")
	if copies := s.copies("retry"); copies != [scenePartitions]int{} {
		t.Errorf("%v copies", copies)
	}
}

func (s wiredScene) deleteGroups(names ...string) {
	s.t.Helper()
	deleted, err := kadm.NewClient(s.client()).DeleteGroups(s.t.Context(), names...)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestRejectedRecordsThatAreGone: a replay of rejected records that finds fewer
// than were planned does not say that it has copied them.
func TestRejectedRecordsThatAreGone(t *testing.T) {
	s := newSharedScene(t)
	s.want("replay shipping --rejected --to-topic retry --plan DIR/replay.json", exitOK)
	s.want("reset shipping --topic orders/0 --to-offset 10 --execute --yes", exitOK)
	s.want("apply DIR/replay.json --yes", exitPartial, "copied 0 of 1 records", "1 of 2 commits changed")
	if copies := s.copies("retry"); copies != [scenePartitions]int{0, 1} {
		t.Errorf("%v copies", copies)
	}
}
