package repair

import (
	"slices"
	"testing"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"pgregory.net/rapid"
)

// universe bounds the offsets of generated states, so that a test can look at
// each of them.
const universe = 48

// partition is a partition with that commit, as a gather finds it.
func partition(c Commit, logStart, logEnd int64) inspect.Partition {
	d, err := codec.Decode(c.Metadata, c.Offset)
	p := inspect.Partition{
		Entry: &gapstore.Entry{
			Key: gapstore.Key{Group: "billing", Topic: "orders"}, TopicID: [16]byte{7}, Home: gapstore.HomeCommit,
			Committed: c.Offset, LeaderEpoch: c.LeaderEpoch, Raw: c.Metadata, Format: d.Format, Encoding: d.Encoding,
			Foreign: d.Foreign, State: d.State, Size: codec.MetadataSize(c.Metadata), SizeLimit: 4096, Anomalies: d.Anomalies, Err: err,
		},
		LogStart: logStart, LogEnd: logEnd, LastStable: logEnd, LogEpoch: 0,
	}
	asNative(&p, c)
	return p
}

// snapshot is of one group, with those partitions numbered from 0.
func snapshot(parts ...inspect.Partition) inspect.Snapshot {
	for i := range parts {
		parts[i].Partition = int32(i)
	}
	return inspect.Snapshot{ClusterID: "here", Groups: []inspect.Group{{Name: "billing", Type: "classic", State: "Empty", Partitions: parts}}}
}

// anyOffsets draws a set of offsets below the universe.
func anyOffsets(t *rapid.T, label string) codec.Ranges {
	var rs []codec.Range
	for range rapid.IntRange(0, 5).Draw(t, label) {
		start := rapid.Int64Range(0, universe-1).Draw(t, "start")
		rs = append(rs, codec.Range{Start: start, End: min(universe, start+rapid.Int64Range(1, 8).Draw(t, "length"))})
	}
	return codec.NewRanges(rs...)
}

// notDrawn are the encodings that forget what is done, or can be read in two
// ways.
var notDrawn = []string{"overflow", "bits"}

// anyPartition draws a partition with a commit in some format, on a log that
// may have lost its beginning, with some gaps that hold no record.
func anyPartition(t *rapid.T, formats ...string) inspect.Partition {
	stable := rapid.Int64Range(0, universe).Draw(t, "stable")
	state := stateOf(anyOffsets(t, "done").Union(below(stable)))
	format := rapid.SampledFrom(formats).Draw(t, "format")
	c := Commit{Offset: state.Stable, LeaderEpoch: 3}
	switch format {
	case "":
	case nativeFormat:
		c.Records = anyNative(t, state)
	default:
		encodings := []string{""}
		f, _ := codec.Lookup(format)
		for _, e := range f.Encodings {
			if e.Writable() && !slices.Contains(notDrawn, e.Name) {
				encodings = append(encodings, e.Name)
			}
		}
		out, err := codec.Encode(state, format, rapid.SampledFrom(encodings).Draw(t, "encoding"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := codec.Decode(out.Metadata, out.Committed)
		if err != nil || certain(d.Anomalies) != nil {
			t.Skip("a commit that can be read in two ways")
		}
		c.Offset, c.Metadata = out.Committed, out.Metadata
	}
	logStart := rapid.Int64Range(0, universe).Draw(t, "log start")
	p := partition(newCommit(c.Offset, c.LeaderEpoch, c.Metadata).with(c.Records), logStart, rapid.Int64Range(max(logStart, universe), universe+8).Draw(t, "log end"))
	p.Phantoms = p.State.Gaps.Intersect(anyOffsets(t, "phantoms"))
	return p
}

// plan plans op on p alone.
func plan(t rapid.TB, p inspect.Partition, op Op) Plan {
	planned, err := NewPlan(snapshot(p), op)
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

// after is p once the plan is applied, and its commit.
func after(p inspect.Partition, planned Plan) (inspect.Partition, Commit) {
	c := commitOf(&p)
	if len(planned.Changes) == 1 {
		c = planned.Changes[0].After
	}
	next := partition(c, p.LogStart, p.LogEnd)
	next.Phantoms = next.State.Gaps.Intersect(p.Phantoms)
	return next, c
}

// available reports whether a consumer could get a record at offset.
func available(p inspect.Partition, offset int64) bool {
	return offset >= p.LogStart && offset < p.LogEnd && !p.Phantoms.Contains(offset)
}

// done is the offsets of a commit that are done, one by one.
func done(c Commit) map[int64]bool {
	m := map[int64]bool{}
	for offset := range int64(universe + 16) {
		if c.State.Completed(offset) {
			m[offset] = true
		}
	}
	return m
}

// checkCounts compares the counts of a plan with the sets before and after.
func checkCounts(t *rapid.T, p inspect.Partition, planned Plan) {
	before := done(commitOf(&p))
	_, c := after(p, planned)
	var skips, reprocesses int64
	for offset := range int64(universe + 16) {
		switch now := done(c)[offset]; {
		case !available(p, offset):
		case now && !before[offset]:
			skips++
		case !now && before[offset]:
			reprocesses++
		}
	}
	for _, change := range planned.Changes {
		if change.Skips != skips || change.Reprocesses != reprocesses {
			t.Fatalf("the plan counts %d skips and %d reprocesses, there are %d and %d", change.Skips, change.Reprocesses, skips, reprocesses)
		}
	}
}

// Compact changes the outcome of no record that a consumer could get, leaves
// no lost or phantom gap, and has nothing left to do.
func TestCompactKeepsEveryOutcome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPartition(t, "parallel-consumer", "pyrallel", "greyhound", "native", "")
		planned := plan(t, p, Compact{})
		if len(planned.Refusals) > 0 {
			if p.Format != "greyhound" {
				t.Fatalf("refused: %s", planned.Refusals[0].Message)
			}
			return
		}
		next, c := after(p, planned)
		before, now := done(commitOf(&p)), done(c)
		for offset := range int64(universe + 16) {
			if available(p, offset) && before[offset] != now[offset] {
				t.Fatalf("offset %d: done %v became %v", offset, before[offset], now[offset])
			}
		}
		checkCounts(t, p, planned)
		if p.Format != "" {
			if dead := c.State.Gaps.Clip(codec.Range{Start: 0, End: p.LogStart}).Union(next.Phantoms); !dead.Empty() {
				t.Fatalf("%s still are gaps", dead)
			}
			if err := c.State.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if again := plan(t, next, Compact{}); !again.Empty() {
			t.Fatalf("a second one changes %+v", again.Changes[0])
		}
	})
}

// Reset does to each offset what it says, whatever the format, and counts it.
func TestResetMeansWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPartition(t, "parallel-consumer", "pyrallel", "greyhound", "native")
		to := rapid.Int64Range(p.LogStart, p.LogEnd).Draw(t, "to")
		keepDone := rapid.Bool().Draw(t, "keep done")
		planned := plan(t, p, Reset{To: ToOffset, Offset: to, KeepDone: keepDone, GapFormat: "parallel-consumer"})
		checkReset(t, p, planned, func(offset int64, before bool) bool {
			switch stable := p.State.Stable; {
			case to >= stable:
				return before || offset < to
			case offset < to:
				return true
			case !keepDone:
				return false
			}
			return before && offset >= p.State.Stable
		})
	})
}

// So does a reset that names the offsets.
func TestResetEditsOnlyWhatIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPartition(t, "parallel-consumer", "pyrallel", "greyhound", "native")
		finish := anyOffsets(t, "finish").Clip(codec.Range{Start: 0, End: p.LogEnd})
		reopen := anyOffsets(t, "reopen").Clip(codec.Range{Start: p.LogStart, End: p.LogEnd}).Sub(finish)
		at := func(rs codec.Ranges) []Target { return []Target{{Topic: "orders", Ranges: rs}} }
		planned := plan(t, p, Reset{Done: at(finish), Outstanding: at(reopen), GapFormat: "parallel-consumer"})
		checkReset(t, p, planned, func(offset int64, before bool) bool {
			return finish.Contains(offset) || before && !reopen.Contains(offset)
		})
	})
}

// checkReset compares each offset with what it should be. Greyhound can not
// read several gaps back: then all from the first on is outstanding.
func checkReset(t *rapid.T, p inspect.Partition, planned Plan, want func(offset int64, before bool) bool) {
	if len(planned.Refusals) > 0 {
		t.Fatalf("refused: %s", planned.Refusals[0].Message)
	}
	before := done(commitOf(&p))
	next, c := after(p, planned)
	first, rewinds := int64(-1), p.Format == "greyhound" && c.Metadata == ""
	now := done(c)
	for offset := range int64(universe + 16) {
		expected := want(offset, before[offset])
		if !expected && first < 0 {
			first = offset
		}
		if rewinds && offset > first && first >= 0 {
			expected = false
		}
		if now[offset] != expected {
			t.Fatalf("offset %d: done is %v, want %v", offset, now[offset], expected)
		}
	}
	checkCounts(t, p, planned)
	if next.Err != nil || c.State.Check() != nil {
		t.Fatalf("%v, %v", next.Err, c.State.Check())
	}
}

// Convert keeps the state, and back again.
func TestConvertKeepsTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formats := []string{"parallel-consumer", "pyrallel", "greyhound"}
		p := anyPartition(t, append(formats, "")...)
		to := rapid.SampledFrom(formats).Draw(t, "to")
		planned := plan(t, p, Convert{To: to})
		next, c := after(p, planned)
		if !c.State.Equal(p.State) || len(planned.Refusals) > 0 {
			t.Fatalf("%+v became %+v, refused %v", p.State, c.State, planned.Refusals)
		}
		if again := plan(t, next, Convert{To: to}); !again.Empty() && c.Metadata != "" {
			t.Fatalf("a second one changes %+v", again.Changes[0])
		}
		checkCounts(t, p, planned)
	})
}

// Undo of any plan gives the same bytes back, and only where the plan's still
// stand.
func TestUndoRestoresEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPartition(t, "parallel-consumer", "pyrallel", "greyhound", "native")
		planned := plan(t, p, Reset{To: ToOffset, Offset: rapid.Int64Range(p.LogStart, p.LogEnd).Draw(t, "to")})
		next, _ := after(p, planned)
		undo := Undo{ID: "20260314T031200Z", Done: planned}
		back, c := after(next, plan(t, next, undo))
		if !c.same(commitOf(&p)) {
			t.Fatalf("%+v, want %+v", c, commitOf(&p))
		}
		if again := plan(t, back, undo); !again.Empty() || len(again.Refusals) > 0 {
			t.Fatalf("undoing again: %+v", again)
		}
		next.Committed += 1000
		if moved := plan(t, next, undo); len(planned.Changes) == 1 && (len(moved.Refusals) != 1 || !moved.Empty()) {
			t.Fatalf("a commit that moved is overwritten: %+v", moved)
		}
	})
}
