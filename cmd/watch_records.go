package cmd

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// watchedRecords is how many records of a gap watch shows.
const watchedRecords = 100

// gapRecords are the first records of a gap, or what has become of the reading.
type gapRecords struct {
	w      *watcher
	group  inspect.Group // with the gap's partition alone, as it was when asked
	gap    codec.Range
	style  inspect.RecordStyle
	cancel context.CancelFunc // ends the reading

	reading bool
	found   []inspect.Record
	empty   int64 // offsets before the last of found that hold no record
	err     error
	lines   []string // what was found, as a table; the first is its header
	top     int      // the first record on screen
}

// readRecords is what a reading has brought.
type readRecords struct {
	of    *gapRecords
	found []inspect.Record
	empty int64
	err   error
}

// openRecords begins to read the records of the chosen gap.
func (s *watchScreen) openRecords() tea.Cmd {
	if s.gap.Empty() {
		return nil
	}
	g := *s.group()
	g.Partitions = []inspect.Partition{*s.partition()}
	s.records = &gapRecords{w: s.w, group: g, gap: s.gap, style: inspect.RecordStyle{
		Output: inspect.OutputTable, Style: inspect.Style{Color: s.style.Color}, OnePartition: true, Deliveries: g.Type == "share",
	}}
	return s.records.read(s.ctx)
}

func (s *watchScreen) readAgain() tea.Cmd {
	if s.records == nil || s.records.reading {
		return nil
	}
	return s.records.read(s.ctx)
}

func (s *watchScreen) closeRecords() {
	if s.records != nil {
		s.records.cancel()
		s.records = nil
	}
}

func (s *watchScreen) toggleValues() {
	if s.records != nil {
		s.records.style.Values = !s.records.style.Values
		s.records.draw()
	}
}

// read reads the records in the background.
func (r *gapRecords) read(ctx context.Context) tea.Cmd {
	ctx, cancel := context.WithCancel(ctx)
	r.reading, r.cancel = true, cancel
	return func() tea.Msg {
		defer cancel()
		found, empty, err := r.w.firstRecords(ctx, &r.group, r.gap)
		return readRecords{r, found, empty, err}
	}
}

// take keeps what a reading has brought.
func (r *gapRecords) take(msg readRecords) {
	r.reading, r.found, r.empty, r.err = false, msg.found, msg.empty, msg.err
	r.draw()
}

// draw makes the table anew.
func (r *gapRecords) draw() {
	r.style.Now = r.w.options.app.now()
	r.lines = nil
	var b bytes.Buffer
	table, err := inspect.NewRecordWriter(&b, r.style)
	for i := range r.found {
		if err == nil {
			err = table.Write(&r.found[i])
		}
	}
	if err == nil {
		err = table.Close()
	}
	if err != nil {
		r.err = err
	} else if b.Len() > 0 {
		r.lines = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	r.top = 0
}

// above is what stands above the records.
func (r *gapRecords) above() []string {
	p := &r.group.Partitions[0]
	place := fmt.Sprintf("%s@%s", partitionName(p), codec.NewRanges(r.gap))
	lines := []string{
		fmt.Sprintf("  %s   %s", inspect.Clean(place), inspect.Plural(r.gap.Len(), "offset")),
		"  " + inspect.Clean(inspect.Command("records", r.group.Name, place)), "",
	}
	switch {
	case r.reading:
		return append(lines, "  reading …")
	case len(r.lines) > 0:
		return append(lines, "  "+r.lines[0])
	}
	return lines
}

// rows are the records on screen, and what there is to say about them.
func (r *gapRecords) rows(room int) []string {
	if r.reading {
		return nil
	}
	lines := indented(r.lines[min(1, len(r.lines)):])
	switch {
	case r.err != nil:
		lines = append(lines, "  not read: "+inspect.Clean(r.err.Error()))
	case len(r.found) == watchedRecords:
		lines = append(lines, fmt.Sprintf("  … the first %d records", watchedRecords))
	case len(r.found) == 0 && r.empty == 0:
		lines = append(lines, "  the log does not hold these offsets (any more, or yet)")
	case r.empty > 0:
		lines = append(lines, fmt.Sprintf("  no record that a consumer could get at %s", inspect.Plural(r.empty, "offset")))
	}
	from := max(0, min(r.top, len(lines)-room))
	return lines[from:min(len(lines), from+room)]
}

// scroll moves what is on screen.
func (r *gapRecords) scroll(by, room int) {
	r.top = max(0, min(r.top+by, len(r.lines)-room)) // a line more than records, for what is said below them
}

// firstRecords reads the first records of a gap; g has its partition alone.
func (w *watcher) firstRecords(ctx context.Context, g *inspect.Group, gap codec.Range) (found []inspect.Record, empty int64, err error) {
	ctx, cancel, err := w.options.app.limited(ctx, &w.options.connection)
	if err != nil {
		return nil, 0, err
	}
	defer cancel()
	at := g.Partitions[0].Key
	q := inspect.RecordQuery{Only: []gapstore.Target{{Topic: at.Topic, Partition: at.Partition, Ranges: codec.NewRanges(gap)}}}
	for piece, err := range inspect.ReadRecords(ctx, w.store, g, q) {
		switch {
		case err != nil:
			return found, empty, causeOf(ctx, err)
		case piece.Record == nil:
			empty += piece.At.Offsets.Len()
		default:
			if found = append(found, *piece.Record); len(found) == watchedRecords {
				return found, empty, nil
			}
		}
	}
	return found, empty, nil
}
