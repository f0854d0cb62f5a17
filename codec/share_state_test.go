package codec

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShareStateMeaning(t *testing.T) {
	s := ShareState{StartOffset: 100, Batches: []Delivery{
		{Range{90, 102}, Acknowledged, 1}, {Range{104, 105}, Acknowledged, 1}, {Range{105, 106}, Archived, 5},
		{Range{108, 110}, Available, 2}, {Range{112, 113}, Archived, 1}, {Range{113, 115}, Available, 3}}}
	got := s.State()
	if got.Stable != 102 || got.Max != 113 || got.Gaps.String() != "102-103,106-111" {
		t.Errorf("stable %d, max %d, gaps %s", got.Stable, got.Max, got.Gaps)
	}
	want := []Delivery{
		{Range{100, 102}, Acknowledged, 1}, {Range{102, 104}, Unknown, 0}, {Range{104, 105}, Acknowledged, 1}, {Range{105, 106}, Archived, 5},
		{Range{106, 108}, Unknown, 0}, {Range{108, 110}, Available, 2}, {Range{110, 112}, Unknown, 0}, {Range{112, 113}, Archived, 1}, {Range{113, 115}, Available, 3}}
	if !slices.Equal(got.Delivery, want) {
		t.Errorf("delivery %+v", got.Delivery)
	}
	if rejected := Rejected(got); rejected.String() != "105,112" {
		t.Errorf("rejected %s", rejected)
	}
	if kinds := s.Anomalies(); len(kinds) != 1 || kinds[0].Kind != "below-start" {
		t.Errorf("anomalies %+v", kinds)
	}
	if s.Batches[0].Start != 90 {
		t.Error("State has changed the batches")
	}
}

func TestShareStateEdges(t *testing.T) {
	for _, c := range []struct {
		name        string
		state       ShareState
		stable, max int64
		gaps        string
	}{
		{"not initialised", ShareState{StartOffset: -1, Batches: []Delivery{{Range{1, 2}, Acknowledged, 1}}}, 0, 0, ""},
		{"nothing delivered", ShareState{StartOffset: 7}, 7, 7, ""},
		{"only released", ShareState{StartOffset: 7, Batches: []Delivery{{Range{7, 9}, Available, 1}}}, 7, 7, ""},
		{"all finished", ShareState{StartOffset: 7, Batches: []Delivery{{Range{7, 9}, Acknowledged, 1}, {Range{9, 12}, Archived, 1}}}, 12, 12, ""},
		{"all below the start", ShareState{StartOffset: 7, Batches: []Delivery{{Range{2, 5}, Acknowledged, 1}}}, 7, 7, ""},
		{"acquired is not finished", ShareState{StartOffset: 7, Batches: []Delivery{{Range{7, 8}, Acquired, 1}, {Range{8, 9}, Acknowledged, 1}}}, 7, 9, "7"},
		{"archiving is not finished", ShareState{StartOffset: 7, Batches: []Delivery{{Range{7, 8}, Archiving, 1}, {Range{8, 9}, Acknowledged, 1}}}, 7, 9, "7"},
		{"unsorted", ShareState{StartOffset: 7, Batches: []Delivery{{Range{11, 12}, Archived, 1}, {Range{8, 9}, Acknowledged, 1}}}, 7, 12, "7,9-10"},
	} {
		s := c.state.State()
		if s.Stable != c.stable || s.Max != c.max || s.Gaps.String() != c.gaps {
			t.Errorf("%s: stable %d, max %d, gaps %s", c.name, s.Stable, s.Max, s.Gaps)
		}
	}
}

// TestDeliveryStateNames pins the names that scripts match on.
func TestDeliveryStateNames(t *testing.T) {
	for state, want := range map[DeliveryState]string{0: "available", 1: "acquired", 2: "acknowledged", 3: "archiving", 4: "archived",
		Unknown: "in-flight-or-unfetched", 9: "state-9"} {
		if got := state.String(); got != want {
			t.Errorf("state %d is %q, want %q", int8(state), got, want)
		}
	}
}

// TestShareStateAgainstOffsets: state and delivery say of every offset what
// the batches say of it.
func TestShareStateAgainstOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(0, universe).Draw(t, "start")
		batches := anyBatches().Draw(t, "batches")
		model := perOffset{}
		model.put(batches, start)
		s := ShareState{StartOffset: start, Batches: batches}.State()
		if err := s.Check(); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		next := start
		for _, d := range s.Delivery {
			if d.Start != next || d.Empty() {
				t.Fatalf("delivery %+v has a hole or an overlap at %d", s.Delivery, next)
			}
			next = d.End
		}
		for offset := range int64(universe + 2) {
			told, known := model[offset]
			if want := offset < start || known && told.State.Terminal(); s.Completed(offset) != want {
				t.Fatalf("offset %d of %+v: finished is %t", offset, s, !want)
			}
			i := slices.IndexFunc(s.Delivery, func(d Delivery) bool { return d.Contains(offset) })
			switch {
			case known && (i < 0 || s.Delivery[i].State != told.State || s.Delivery[i].Count != told.Count):
				t.Fatalf("offset %d: %+v, want %+v", offset, s.Delivery, told)
			case !known && i >= 0 && (s.Delivery[i].State != Unknown || s.Delivery[i].Count != 0):
				t.Fatalf("offset %d is not known: %+v", offset, s.Delivery[i])
			}
			if archived := known && told.State == Archived; Rejected(s).Contains(offset) != archived {
				t.Fatalf("offset %d: archived is %t", offset, archived)
			}
		}
	})
}
