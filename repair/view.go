package repair

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// changeColumns are the columns of plans; a plan's table shows what moves.
func changeColumns(layout inspect.Layout) []inspect.Column {
	columns := placeColumns(layout)
	for _, name := range []string{"STABLE", "MAX", "OUTSTANDING", "SKIPS", "REPROCESSES"} {
		columns = append(columns, inspect.Column{Name: name, Right: true})
	}
	if layout != inspect.Narrow {
		for _, name := range []string{"COMMITTED", "SIZE"} {
			columns = append(columns, inspect.Column{Name: name, Right: true})
		}
		columns = append(columns, inspect.Column{Name: "ENCODING"}, inspect.Column{Name: "GAPS-AFTER"})
	}
	return append(columns, inspect.Column{Name: "WHY"})
}

func placeColumns(layout inspect.Layout) []inspect.Column {
	if layout == inspect.Flat {
		return []inspect.Column{{Name: "TOPIC"}, {Name: "PARTITION", Right: true}}
	}
	return []inspect.Column{{Name: "TOPIC/PARTITION"}}
}

func placeCells(t Target, layout inspect.Layout) []inspect.Cell {
	if layout == inspect.Flat {
		return []inspect.Cell{{Text: t.Topic}, {Text: strconv.Itoa(int(t.Partition))}}
	}
	return []inspect.Cell{{Text: t.String(), Tone: inspect.ToneStrong}}
}

// Tables lays the plan out: what changes, and below it what is refused.
func (p Plan) Tables(layout inspect.Layout) []inspect.Table {
	table := inspect.Table{Columns: changeColumns(layout), Rows: func(yield func([]inspect.Cell) bool) {
		for _, c := range p.Changes {
			if !yield(c.cells(layout)) {
				return
			}
		}
	}}
	if layout == inspect.Flat {
		return []inspect.Table{table}
	}
	table.Heading = []inspect.Cell{{Text: p.Group, Tone: inspect.ToneStrong}, {Text: "  " + p.Summary()}}
	if !p.Atomic() {
		table.Notes = append(table.Notes, inspect.Cell{Text: "too much for one commit: written in several, one after the other; the first failure ends it"})
	}
	if p.goesNative() {
		table.Notes = append(table.Notes, inspect.Cell{Text: "the gaps go into topic " + codec.NativeTopic + ", in one transaction with the offsets; it is made first where there is none"})
	}
	for _, w := range p.Warnings {
		table.Notes = append(table.Notes, inspect.Cell{Text: "note: " + w, Tone: inspect.ToneWarn})
	}
	for _, r := range p.Refusals {
		table.Notes = append(table.Notes, inspect.Cell{Text: "refused  " + r.Target().String() + ": " + r.Message, Tone: inspect.ToneWarn})
	}
	return []inspect.Table{table}
}

func (c Change) cells(layout inspect.Layout) []inspect.Cell {
	cells := placeCells(c.Target(), layout)
	add := func(text string, tone inspect.Tone) { cells = append(cells, inspect.Cell{Text: text, Tone: tone}) }
	b, a := c.Before, c.After
	add(arrow(b, a, func(c Commit) int64 { return c.State.Stable }), inspect.TonePlain)
	add(arrow(b, a, func(c Commit) int64 { return c.State.Max }), inspect.TonePlain)
	add(arrow(b, a, func(c Commit) int64 { return c.State.Outstanding() }), inspect.TonePlain)
	add(strconv.FormatInt(c.Skips, 10), alarming(c.Skips))
	add(strconv.FormatInt(c.Reprocesses, 10), alarming(c.Reprocesses))
	if layout != inspect.Narrow {
		from, to := b.document(), a.document()
		add(moved(b.offsetText(), a.offsetText()), inspect.TonePlain)
		add(moved(strconv.FormatInt(from.Size, 10), strconv.FormatInt(to.Size, 10)), inspect.TonePlain)
		add(moved(b.dialect(), a.dialect()), inspect.TonePlain)
		add(a.State.Gaps.String(), inspect.TonePlain)
	}
	add(c.Why, inspect.TonePlain)
	return cells
}

// arrow shows a number of a commit before and after; a dash where it is not
// known.
func arrow(before, after Commit, of func(Commit) int64) string {
	show := func(c Commit) string {
		if c.Err != nil || c.none() {
			return "-"
		}
		return strconv.FormatInt(of(c), 10)
	}
	return moved(show(before), show(after))
}

// offsetText is the committed offset, a dash where there is none.
func (c Commit) offsetText() string {
	if c.none() {
		return "-"
	}
	return strconv.FormatInt(c.Offset, 10)
}

func moved(before, after string) string {
	if before == after {
		return after
	}
	return before + " → " + after
}

// dialect is the format and encoding of a commit.
func (c Commit) dialect() string {
	switch {
	case c.Format == "":
		return "-"
	case c.Encoding == "":
		return c.Format
	}
	return c.Format + " " + c.Encoding
}

func alarming(records int64) inspect.Tone {
	if records > 0 {
		return inspect.ToneWarn
	}
	return inspect.TonePlain
}

// Title is the command that makes such a plan: it takes share groups as well,
// and to skip is a reset that only marks records as done.
func (p Plan) Title() string {
	if reset, ok := p.Op.(Reset); ok && reset.To == "" && !reset.ClearMetadata && len(reset.Outstanding) == 0 {
		return "skip"
	}
	return strings.TrimPrefix(p.Op.Name(), "share-")
}

// Summary says in one line what the plan would do.
func (p Plan) Summary() string {
	var skips, reprocesses, copies int64
	for _, c := range p.Changes {
		skips, reprocesses, copies = skips+c.Skips, reprocesses+c.Reprocesses, copies+c.Copies
	}
	if p.Empty() {
		return p.Title() + ": nothing changes"
	}
	s := fmt.Sprintf("%s: %s, %s skipped, %s processed again", p.Title(),
		plural(int64(len(p.Changes)), "commit changes", "commits change"),
		plural(skips, "outstanding record", "outstanding records"), plural(reprocesses, "finished record", "finished records"))
	if _, ok := p.Op.(Replay); ok {
		s = fmt.Sprintf("%s: %s, %s delivered again", p.Title(),
			plural(int64(len(p.Changes)), "commit changes", "commits change"), plural(copies, "outstanding record", "outstanding records"))
	}
	return s
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
