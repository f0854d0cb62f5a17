package cmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// TestWatchHostile: what watch gives to the screen has no control character of a
// name, an error or a filter, whatever the screen would make of it.
func TestWatchHostile(t *testing.T) {
	const evil = "a\x1b]0;owned\x07\u009b2J\u202e\n"
	gap := codec.Range{End: 1}
	p := inspect.Partition{Entry: &gapstore.Entry{
		Key: gapstore.Key{Group: evil, Topic: evil}, Format: "native", Committed: 0, State: codec.State{Max: 2, Gaps: codec.NewRanges(gap)},
	}, LogEnd: 2}
	g := inspect.Group{Name: evil, Partitions: []inspect.Partition{p}}
	s := &watchScreen{w: &watcher{last: inspect.Snapshot{Groups: []inspect.Group{g}}}, width: 120, height: 40, shown: []int{0}, filter: evil}
	r := &gapRecords{w: s.w, group: g, gap: gap, err: errors.New(evil)}
	lines := append(s.opened(), s.below()...)
	s.typing = true
	lines = append(lines, s.below()...)
	s.failed = errors.New(evil)
	lines = append(append(append(lines, s.below()...), r.above()...), r.rows(10)...)
	shown := 0
	for _, line := range lines {
		shown += strings.Count(line, "owned")
		if inspect.Clean(line) != line {
			t.Errorf("%q", line)
		}
	}
	if shown < 8 {
		t.Errorf("the name is only shown %d times in %q", shown, lines)
	}
}
