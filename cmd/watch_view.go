package cmd

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/gapctl/gapctl/inspect"
)

// The columns that watch adds to a map.
const (
	watchMargin  = 2 // for the mark of the chosen row
	watchColumns = 20
)

// group is the group that is watched.
func (s *watchScreen) group() *inspect.Group { return &s.w.last.Groups[0] }

// draw makes the map anew: there is a new snapshot, size or scale.
func (s *watchScreen) draw() {
	s.view.Columns = s.width - watchMargin - watchColumns
	s.lines = inspect.NewMapLines(s.w.last, s.view, s.style)
	s.choose()
}

// choose finds the partitions that fit the filter, and keeps the chosen one
// and what is on screen within bounds.
func (s *watchScreen) choose() {
	s.shown = s.shown[:0]
	for i := range s.group().Partitions {
		if strings.Contains(partitionName(&s.group().Partitions[i]), s.filter) {
			s.shown = append(s.shown, i)
		}
	}
	s.chosen = max(0, min(s.chosen, len(s.shown)-1))
	s.move(0)
}

func partitionName(p *inspect.Partition) string { return fmt.Sprintf("%s/%d", p.Topic, p.Partition) }

// move moves the choice, or scrolls the gaps of an open partition.
func (s *watchScreen) move(by int) {
	switch {
	case s.records != nil:
		s.records.scroll(by, s.room())
		return
	case s.open:
		s.moveGap(by)
		return
	}
	s.chosen = max(0, min(s.chosen+by, len(s.shown)-1))
	s.top = max(min(s.top, s.chosen), s.chosen-s.room()+1, 0)
	s.top = min(s.top, max(0, len(s.shown)-s.room()))
}

// room is how many rows, or gaps, are on screen.
func (s *watchScreen) room() int {
	above := len(s.above())
	return max(1, s.height-above-len(s.below()))
}

// View is the screen.
func (s *watchScreen) View() tea.View {
	if s.width == 0 {
		return tea.NewView("")
	}
	lines := s.above()
	switch {
	case s.records != nil:
		lines = append(lines, s.records.rows(s.room())...)
	case s.open:
		lines = append(lines, s.gapRows()...)
	default:
		lines = append(lines, s.rows()...)
	}
	below := s.below()
	for len(lines) < s.height-len(below) {
		lines = append(lines, "")
	}
	lines = append(lines, below...)
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, s.width, "")
	}
	v := tea.NewView(strings.Join(lines[:min(len(lines), s.height)], "\n"))
	v.AltScreen = true
	v.WindowTitle = "gapctl watch " + inspect.Clean(s.group().Name)
	return v
}

// above is what stands above the rows.
func (s *watchScreen) above() []string {
	rates := s.w.trend.Rates()
	var lines []string
	for _, line := range s.lines.Heading {
		wrapped := strings.Split(ansi.Wordwrap(line, max(1, s.width-watchMargin), ""), "\n")
		lines = append(append(lines, wrapped[0]), indented(wrapped[1:])...)
	}
	lines = append(lines, fmt.Sprintf("  acks %s   new %s   drain %s   stuck %d of %d   at %s",
		rate(rates, acks), rate(rates, written), s.w.drain(), s.w.stuck(), len(s.group().Partitions), s.w.last.TakenAt.UTC().Format("15:04:05Z")), "")
	switch {
	case s.records != nil:
		return append(lines, s.records.above()...)
	case s.open:
		return append(lines, s.opened()...)
	}
	return append(lines, strings.Repeat(" ", watchMargin)+s.withColumns(s.lines.Columns, "ACKS", "STUCK"))
}

// indented are the lines behind the margin.
func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.Repeat(" ", watchMargin) + line
	}
	return out
}

// rows are the partitions on screen.
func (s *watchScreen) rows() []string {
	var lines []string
	for i := s.top; i < min(len(s.shown), s.top+s.room()); i++ {
		p := &s.group().Partitions[s.shown[i]]
		mark := "  "
		if i == s.chosen {
			mark = "> "
		}
		stuck := "-"
		if since, ok := s.w.trend.StuckSince(p.Key); ok {
			stuck = s.w.ago(since)
		}
		lines = append(lines, mark+s.withColumns(s.lines.Rows[s.shown[i]], rate(s.w.trend.PartitionRates(p.Key), acks), stuck))
	}
	return lines
}

// withColumns adds the columns of watch to a row of the map.
func (s *watchScreen) withColumns(row, acks, stuck string) string {
	pad := max(0, s.view.Columns-ansi.StringWidth(row))
	return row + strings.Repeat(" ", pad) + fmt.Sprintf("%*s%*s", watchColumns/2, acks, watchColumns/2, stuck)
}

// below is what stands at the foot of the screen.
func (s *watchScreen) below() []string {
	var lines []string
	if !s.open {
		lines = append(append(lines, ""), s.lines.Legend...)
	}
	switch {
	case s.failed != nil:
		lines = append(lines, "  no news: "+inspect.Clean(s.failed.Error()))
	case s.typing:
		lines = append(lines, "  filter: "+inspect.Clean(s.filter)+"_   enter keeps it, esc drops it")
	case s.records != nil:
		lines = append(lines, "  up/down scroll   v values   r read again   esc back   q quit")
	case s.open:
		lines = append(lines, "  up/down choose   enter records   esc back   q quit")
	case s.filter != "":
		lines = append(lines, fmt.Sprintf("  filter: %s (%d of %d)   esc drops it   enter gaps   q quit", inspect.Clean(s.filter), len(s.shown), len(s.group().Partitions)))
	default:
		lines = append(lines, "  up/down choose   enter gaps   / filter   f full   s scale   q quit")
	}
	return lines
}
