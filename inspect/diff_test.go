package inspect

import (
	"bytes"
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

// TestReadDescription: what is no description is refused, with what is wrong.
func TestReadDescription(t *testing.T) {
	const head = `{"kind":"describe","schema_version":1,"groups":`
	one := func(fields string) string { return head + `[{"group":"g","partitions":[{` + fields + `}]}]}` }
	cases := []struct{ name, doc, want string }{
		{"empty", "", "it is empty"},
		{"cut short", head + `[{"group":`, "cut short"},
		{"no JSON", "\x00\xff\x1b", "no JSON, at byte 1"},
		{"a list", `[]`, "can not be a array"},
		{"other kind", `{"kind":"list","schema_version":1}`, `kind "list"`},
		{"newer", `{"kind":"describe","schema_version":2}`, "schema version 2"},
		{"two", head + `[]}{}`, "something follows"},
		{"no topic", one(`"partition":1`), "no topic"},
		{"no partition", one(`"topic":"t"`), "no topic and partition"},
		{"negative partition", one(`"topic":"t","partition":-1`), "no topic and partition"},
		{"no max", one(`"topic":"t","partition":1,"stable":5`), "stable is 5"},
		{"max below stable", one(`"topic":"t","partition":1,"stable":5,"max":4`), "max is 4"},
		{"negative", one(`"topic":"t","partition":1,"stable":-5,"max":4`), "stable is -5"},
		{"too large", one(`"topic":"t","partition":1,"stable":99999999999999999999`), "can not be a number"},
		{"bad range", one(`"topic":"t","partition":1,"stable":1,"max":9,"gaps":[{"start":5,"end":3}]`), "want 0 <= start < end"},
		{"twice", head + `[{"group":"g","partitions":[{"topic":"t","partition":1},{"topic":"t","partition":1}]}]}`, "g t/1 is there twice"},
		{"deep", head + strings.Repeat("[", 20_000), "exceeded max depth"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadDescription(strings.NewReader(c.doc))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzReadDescription(f *testing.F) {
	var doc bytes.Buffer
	if err := Write(&doc, OutputJSON, NewDescribeView(hostileSnapshot()), Style{}); err != nil {
		f.Fatal(err)
	}
	f.Add(doc.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadDescription(bytes.NewReader(data))
		if err != nil {
			return
		}
		if v := NewDiffView(s, s, nil); v.Differs() {
			t.Errorf("it differs from itself: %+v", v)
		}
	})
}
