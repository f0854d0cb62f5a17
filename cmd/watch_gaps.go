package cmd

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// partition is the chosen one.
func (s *watchScreen) partition() *inspect.Partition {
	return &s.group().Partitions[s.shown[s.chosen]]
}

// opened is what stands above the gaps of the chosen partition.
func (s *watchScreen) opened() []string {
	if len(s.shown) == 0 {
		return nil
	}
	p := s.partition()
	one := s.w.last
	one.Groups = []inspect.Group{*s.group()}
	one.Groups[0].Partitions = []inspect.Partition{*p}
	var b bytes.Buffer
	_ = inspect.WriteMap(&b, one, inspect.MapOptions{Columns: s.width, Scale: s.view.Scale, Full: s.view.Full}, s.style) // a buffer takes all
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[2:]
	rates := s.w.trend.PartitionRates(p.Key)
	told := fmt.Sprintf("  acks %s   new %s   oldest record %s", rate(rates, acks), rate(rates, written), s.w.ago(p.OldestGapAt))
	if since, ok := s.w.trend.StuckSince(p.Key); ok {
		told += fmt.Sprintf("   first gap has not moved for %s", s.w.ago(since))
	}
	lines = append(lines, told, "  "+inspect.Clean(p.Command("records")), "")
	return append(lines, fmt.Sprintf("  %20s %20s %12s", "FIRST", "LAST", "RECORDS"))
}

// openGaps are the gaps of the chosen partition.
func (s *watchScreen) openGaps() codec.Ranges {
	if len(s.shown) == 0 {
		return codec.Ranges{}
	}
	return s.partition().State.Gaps
}

// moveGap moves the choice among the gaps. It is kept by offset, as gaps close
// while somebody looks at them: where the chosen one has, the one before takes
// its place.
func (s *watchScreen) moveGap(by int) {
	gaps := s.openGaps()
	at := max(0, gaps.Clip(codec.Range{End: s.gap.Start + 1}).Len()-1)
	at = max(0, min(at+by, gaps.Len()-1))
	s.gap = codec.Range{}
	for _, gap := range nth(gaps, at, 1) {
		s.gap = gap
	}
	room := s.room()
	s.top = max(min(s.top, at), at-room+1, 0)
	s.top = min(s.top, max(0, gaps.Len()-room))
}

// gapRows are the gaps on screen.
func (s *watchScreen) gapRows() []string {
	var lines []string
	for _, gap := range nth(s.openGaps(), s.top, s.room()) {
		mark := "  "
		if gap == s.gap {
			mark = "> "
		}
		lines = append(lines, fmt.Sprintf("%s%20d %20d %12d", mark, gap.Start, gap.End-1, gap.Len()))
	}
	if len(lines) == 0 {
		lines = append(lines, "  no gaps")
	}
	return lines
}

// nth are at most count ranges, from number first on.
func nth(ranges codec.Ranges, first, count int) []codec.Range {
	var some []codec.Range
	for r := range ranges.All() {
		if first--; first >= 0 {
			continue
		}
		if len(some) == count {
			break
		}
		some = append(some, r)
	}
	return some
}
