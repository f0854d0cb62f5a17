package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gapctl/gapctl/repair"
)

// interruption is a repair that is interrupted at each of its requests.
type interruption struct {
	// line is the repair, without the flags that carry it out; LAST is the ID of
	// the repair before it.
	line string
	// before is what is run first.
	before []string
	group  string // that of line and before
	// final is a repair that nothing takes back.
	final bool
	// first is the request to begin with: about those before it only look what
	// there is.
	first int64
	// copies is how many records there are in the topic of copies once the repair
	// went through, each exactly once.
	copies int
	// lingers is for a repair that joins without waiting to be a member: where the
	// answer is not awaited, the broker counts one until its session ends.
	lingers bool
	// done is the exit code of the same repair when it has nothing left to do.
	done int
}

// interruptions are repairs of every command that makes some.
func interruptions() []interruption {
	const reading = 14
	const skip, toNative = "skip billing orders/0@3 orders/1@3", "convert billing --to native --execute --yes"
	return []interruption{
		{line: skip, first: 1},
		{line: "reset billing --to-latest", first: reading},
		{line: "reset billing --delete-offsets", first: reading, done: exitFailure},
		{line: "compact billing", first: reading},
		{line: "convert billing --to native", first: 3 * reading},
		{line: skip, before: []string{toNative}, first: 2 * reading},
		{line: "replay billing --to-topic retry", first: reading, copies: 8},
		{line: "replay billing --to-topic retry --together", first: reading, copies: 8},
		{line: "replay billing --exec echo>>DIR/$GAPCTL_PARTITION@$GAPCTL_OFFSET", first: reading},
		{line: "apply DIR/plan.json", before: []string{skip + " --plan DIR/plan.json"}, first: 1},
		{line: "apply DIR/plan.json", before: []string{"replay billing --to-topic retry --plan DIR/plan.json"}, first: reading, copies: 8},
		{line: "undo LAST", before: []string{skip + " --execute --yes"}, first: 1},
		{line: "undo LAST", before: []string{toNative}, first: reading},
		{line: "undo LAST", before: []string{"reset billing --delete-offsets --execute --yes"}, first: reading},
		{line: "skip shipping orders/0@7 orders/1@7", final: true, lingers: true, first: 1, done: exitRefused},
		{line: "reset shipping --to-offset 5", first: reading},
		{line: "reset shipping --delete-offsets", first: reading, done: exitFailure},
		{line: "undo LAST", before: []string{"reset shipping --to-offset 5 --execute --yes"}, first: reading},
		{line: "replay shipping --rejected --to-topic retry", final: true, first: reading},
	}
}

// TestInterruptedRepairs: wherever a signal meets a repair, what stands
// afterwards is the old state or the new one, whole; the exit code, the result
// and the journal say which; the group is free, and the same repair goes through
// at once, or can be undone.
func TestInterruptedRepairs(t *testing.T) {
	if testing.Short() {
		t.Skip("each repair is made hundreds of times")
	}
	running := goleak.IgnoreCurrent()
	t.Run("all", func(t *testing.T) { // ends when they all have
		for _, i := range interruptions() {
			if i.group = "billing"; strings.Contains(i.line+strings.Join(i.before, ""), "shipping") {
				i.group = "shipping"
			}
			name, _, _ := strings.Cut(strings.Join(append(i.before, i.line), ", "), ">") // for it names directories
			t.Run(name, i.everywhere)
		}
	})
	goleak.VerifyNone(t, running)
}

// everywhere interrupts the repair at one request after the other.
func (i interruption) everywhere(t *testing.T) {
	t.Parallel()
	n, hit := i.first, true
	for ; hit; n++ {
		hit = false // unless it gets that far
		t.Run(fmt.Sprint(n), func(t *testing.T) { hit = i.survived(t, n) })
	}
	if n < i.first+10 && !strings.HasPrefix(i.line, "compact") {
		t.Errorf("only %d requests", n)
	}
}

// survived interrupts the repair at its nth request.
func (i interruption) survived(t *testing.T, n int64) (hit bool) {
	s := i.scene(t)
	line, begun := i.line+" --execute --yes -o json", s.repairs()
	if len(begun) > 0 {
		line = strings.ReplaceAll(line, "LAST", begun[0].ID)
	}
	old := s.stands(i.group)
	got, hit := s.interruptedAt(line, n, false)
	now := s.stands(i.group)
	t.Logf("exit code %d\n%s%s\nbefore %q\nafter  %q", got.code, got.out, got.errs, old, now)
	if got.code != exitInterrupted && got.code != exitOK {
		t.Errorf("exit code %d", got.code)
	}
	changed := map[int32]bool{}
	for p := range now {
		if now[p] != old[p] {
			changed[int32(p)] = true
		}
	}
	if told := s.told(got.out); !maps.Equal(told, changed) {
		t.Errorf("changed are %v, and it tells of %v", changed, told)
	}
	if !i.lingers {
		s.free(i.group)
	}
	entries := s.repairs()
	entries = entries[:len(entries)-len(begun)]
	if len(entries) > 1 || len(changed) > 0 && len(entries) == 0 {
		t.Fatalf("the journal has %v", entries)
	}
	for _, e := range entries {
		if !e.Ended || len(changed) > 0 && e.Undoable() == i.final {
			t.Errorf("the journal says %+v", e)
		}
	}
	i.finish(s, line, old, len(changed), n%2 == 0)
	return hit
}

func (i interruption) scene(t *testing.T) wiredScene {
	t.Helper()
	s := newWiredScene
	if i.group == "shipping" {
		s = newSharedScene
	}
	scene := s(t)
	for _, line := range i.before {
		scene.want(line, exitOK)
	}
	return scene
}

// finish does the repair once more, or undoes what the interrupted one has
// changed.
func (i interruption) finish(s wiredScene, line string, old [scenePartitions]string, changed int, undo bool) {
	s.t.Helper()
	if strings.Contains(line, "--exec ") {
		s.delivered()
	}
	if changed > 0 && undo && !i.final && i.copies == 0 {
		s.want("undo "+s.repairs()[0].ID+" --execute --yes", exitOK)
		if now := s.stands(i.group); now != old && i.group == "billing" { // the broker keeps no deliveries
			s.t.Errorf("undone, there is\n%q\nand before\n%q", now, old)
		}
		return
	}
	switch {
	case changed == scenePartitions:
		s.want(line, i.done)
	case changed > 0 && i.done == exitRefused:
		s.want(line, exitPartial)
	default:
		s.want(line, exitOK)
	}
	if s.t.Failed() {
		s.t.Logf("in the end %q", s.stands(i.group))
	}
	if copies := s.copies("retry"); i.copies > 0 && copies[0]+copies[1] != i.copies {
		s.t.Errorf("%v copies of %d records", copies, i.copies)
	}
}

// delivered fails when a record is done that no command was given.
func (s wiredScene) delivered() {
	s.t.Helper()
	open := strings.Fields(s.run(`gaps billing -o jq=.gaps[]|"\(.partition)@\(range(.start;.end))"`).out)
	for p := range scenePartitions {
		for _, offset := range []int{3, 4, 5, 9} {
			record := fmt.Sprintf("%d@%d", p, offset)
			if given, _ := filepath.Glob(filepath.Join(s.dir, record)); len(given) == 0 && !slices.Contains(open, record) {
				s.t.Errorf("%s is done, and was never delivered", record)
			}
		}
	}
}

// told is the partitions of which a result says that something of them was done.
func (s wiredScene) told(out string) map[int32]bool {
	s.t.Helper()
	done := map[int32]bool{}
	if out == "" {
		return done
	}
	var doc struct {
		Outcomes []struct {
			Partition int32
			Status    repair.Status
			Copied    int64
			After     *struct{ Stable *int64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.t.Errorf("%v in %q", err, out)
	}
	for _, o := range doc.Outcomes {
		if o.Status == repair.Applied && o.Copied == 0 && o.After != nil && o.After.Stable == nil {
			s.t.Errorf("it does not tell what stands in partition %d: %s", o.Partition, out)
		}
		if o.Status == repair.Applied || o.Copied > 0 {
			done[o.Partition] = true
		}
	}
	return done
}

// repairs is the journal, the newest first.
func (s wiredScene) repairs() []repair.Entry {
	s.t.Helper()
	entries, bad, err := repair.Journal{Dir: filepath.Join(s.dir, "gapctl", "journal")}.Entries()
	if err != nil || len(bad) > 0 {
		s.t.Fatalf("the journal: %v %v", bad, err)
	}
	return entries
}
