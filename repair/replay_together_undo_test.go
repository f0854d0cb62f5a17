package repair

import (
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
)

// Undo takes back what one process has done alone, and nothing of what others
// have a part in.
func TestUndoOfReplayTogether(t *testing.T) {
	s := replayScene(t)
	op := Replay{ToTopic: retryTopic, Together: true}
	late := s.plan(op) // of which the others will have done a part
	only := op
	only.Only = []Target{{sceneTopic, 0, codec.NewRanges(codec.Range{Start: 3, End: 5})}, {sceneTopic, 1, codec.NewRanges(codec.Range{Start: 7, End: 20})}}
	first := s.start(only)
	if r := first.finish(); r.Err != nil {
		t.Fatalf("%+v", r)
	}
	second := s.start(op)
	second.stop()
	own := *s
	own.journal = Journal{Dir: t.TempDir()}
	third := own.carryOut(late)
	if r := third.finish(); r.Err != nil || r.Outcomes[1].Status != Unchanged {
		t.Fatalf("%+v", r)
	}
	e := first.scene.entries()[0]
	p := s.plan(Undo{ID: e.ID, Done: e.Plan, Left: e.Left})
	if len(p.Changes) != 1 || p.Changes[0].Partition != 1 || len(p.Refusals) != 1 || p.Refusals[0].Partition != 0 {
		t.Errorf("the first: %+v, %+v", p.Changes, p.Refusals)
	}
	e = third.scene.entries()[0]
	p = s.plan(Undo{ID: e.ID, Done: e.Plan, Left: e.Left})
	if len(p.Changes) != 0 || len(p.Refusals) != 1 || !strings.Contains(p.Refusals[0].Message, "other processes") {
		t.Errorf("the third: %+v, %+v", p.Changes, p.Refusals)
	}
}
