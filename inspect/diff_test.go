package inspect

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
)

// TestDiffOffsets: what closed, opened, stayed, was undone and committed is
// what asking both states offset by offset says.
func TestDiffOffsets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		a, b := randomState(random), randomState(random)
		d, differs := diffPartition(statePartition(a), statePartition(b))
		if differs == a.Equal(b) {
			t.Fatalf("differs is %t for %v and %v", differs, a, b)
		}
		var committed int64
		for o := range int64(40) {
			check := func(name string, rs codec.Ranges, want bool) {
				if rs.Contains(o) != want {
					t.Fatalf("%s of %d: want %t, from %v to %v", name, o, want, a, b)
				}
			}
			check("closed", d.Closed, a.Gaps.Contains(o) && b.Completed(o))
			check("opened", d.Opened, !a.Gaps.Contains(o) && b.Gaps.Contains(o))
			check("still", d.Still, a.Gaps.Contains(o) && b.Gaps.Contains(o))
			check("undone", d.Undone, a.Completed(o) && !b.Completed(o))
			if !a.Completed(o) && b.Completed(o) {
				committed++
			}
		}
		if d.CommittedCount != committed {
			t.Fatalf("%d committed, want %d, from %v to %v", d.CommittedCount, committed, a, b)
		}
	}
}

func randomState(random *rand.Rand) codec.State {
	g := codec.NewGapSet(codec.Complete(random.Int64N(20)))
	for range random.IntN(5) {
		start := random.Int64N(30)
		g.Done(codec.Range{Start: start, End: start + 1 + random.Int64N(5)})
	}
	return g.State()
}

func statePartition(s codec.State) *Partition {
	p := mapPartition(0, s.Stable, s.Max, "", 0, 40)
	p.State = s
	return &p
}

// TestDiffRoundTrip: what describe writes as JSON reads back as it was.
func TestDiffRoundTrip(t *testing.T) {
	s := hostileSnapshot()
	for i := range s.Groups {
		for k := range s.Groups[i].Partitions {
			s.Groups[i].Partitions[k].Group = s.Groups[i].Name
			s.Groups[i].Partitions[k].Partition = int32(k)
		}
	}
	s.Groups[0].Name, s.Groups[0].Partitions[1].Topic = "g", "t" // JSON is UTF-8: other names can not come back
	for k := range s.Groups[0].Partitions {
		p := &s.Groups[0].Partitions[k]
		p.Group, p.Topic = "g", "t"
	}
	read, err := ReadDescription(strings.NewReader(written(t, OutputJSON, NewDescribeView(s), Style{})))
	if err != nil {
		t.Fatal(err)
	}
	v := NewDiffView(s, read, nil)
	if v.Differs() || v.Same != 3 || len(v.Unread) != 1 {
		t.Errorf("differs: %+v", v)
	}
}
