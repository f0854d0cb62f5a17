package repair

import (
	"io"
	"strconv"

	"github.com/gapctl/gapctl/inspect"
)

// resultDocument is a result as JSON has it.
type resultDocument struct {
	inspect.Head
	ID         *string           `json:"id"`
	Group      string            `json:"group"`
	PlanDigest string            `json:"plan_digest"`
	Outcomes   []outcomeDocument `json:"outcomes"`
	Error      *string           `json:"error"`
}

type outcomeDocument struct {
	Topic     string          `json:"topic"`
	Partition int32           `json:"partition"`
	Status    Status          `json:"status"`
	After     *commitDocument `json:"after"` // null where nothing was to change
	Copied    int64           `json:"copied"`
	Others    int64           `json:"others"`
	Error     *string         `json:"error"`
}

// WriteJSON writes the result's document.
func (r Result) WriteJSON(into io.Writer) error {
	d := resultDocument{
		Head: inspect.Head{Kind: "result", SchemaVersion: inspect.SchemaVersion}, ID: orNil(r.ID), Group: r.Group,
		PlanDigest: r.PlanDigest, Outcomes: []outcomeDocument{}, Error: orNil(errorText(r.Err)),
	}
	w := &planWriter{w: into}
	w.around(d, `"outcomes":[]`, func() {
		w.raw(`"outcomes":[`)
		for i := range r.Outcomes {
			if i > 0 {
				w.raw(",")
			}
			w.outcome(&r.Outcomes[i])
		}
		w.raw("]")
	})
	return w.end()
}

func (w *planWriter) outcome(o *Outcome) {
	d := outcomeDocument{Topic: o.Topic, Partition: o.Partition, Status: o.Status, Copied: o.Copied, Others: o.Others, Error: orNil(errorText(o.Err))}
	w.around(d, `"after":null`, func() {
		w.raw(`"after":`)
		if o.After.Offset < 0 {
			w.raw("null")
			return
		}
		w.commit(&o.After)
	})
}

// Tables lays the result out, with the command that undoes it below.
func (r Result) Tables(layout inspect.Layout) []inspect.Table {
	columns := append(placeColumns(layout), inspect.Column{Name: "STATUS"}, inspect.Column{Name: "STABLE", Right: true},
		inspect.Column{Name: "OUTSTANDING", Right: true})
	if r.team {
		columns = append(columns, inspect.Column{Name: "COPIED", Right: true}, inspect.Column{Name: "BY-OTHERS", Right: true})
	}
	columns = append(columns, inspect.Column{Name: "ERROR"})
	table := inspect.Table{Columns: columns, Rows: func(yield func([]inspect.Cell) bool) {
		for _, o := range r.Outcomes {
			if !yield(r.cells(o, layout)) {
				return
			}
		}
	}}
	if layout != inspect.Flat && r.ID != "" && !r.final && (r.Count(Applied)+r.Count(Unverified) > 0 || r.Copied() > 0) {
		what := " goes back to what was before"
		if r.shared {
			what = " sets the start offset back, and no more"
		}
		table.Notes = []inspect.Cell{{Text: "gapctl undo " + r.ID + what, Tone: inspect.ToneFaint}}
	}
	if layout != inspect.Flat && r.forGood && r.Count(Applied) > 0 {
		table.Notes = []inspect.Cell{{Text: skipsForGood, Tone: inspect.ToneFaint}}
	}
	return []inspect.Table{table}
}

func (r Result) cells(o Outcome, layout inspect.Layout) []inspect.Cell {
	stable, outstanding := "-", "-"
	if (o.Status == Applied || o.Status == Unchanged) && o.After.Err == nil && !o.After.none() {
		stable = strconv.FormatInt(o.After.State.Stable, 10)
		outstanding = strconv.FormatInt(o.After.State.Outstanding(), 10)
	}
	cells := append(placeCells(o.Target(), layout), inspect.Cell{Text: string(o.Status), Tone: o.Status.tone()},
		inspect.Cell{Text: stable}, inspect.Cell{Text: outstanding})
	if r.team {
		cells = append(cells, inspect.Cell{Text: strconv.FormatInt(o.Copied, 10)}, inspect.Cell{Text: strconv.FormatInt(o.Others, 10)})
	}
	return append(cells, inspect.Cell{Text: errorText(o.Err)})
}

func (s Status) tone() inspect.Tone {
	switch s {
	case Applied, Unchanged:
		return inspect.ToneGood
	case NotAttempted:
		return inspect.ToneFaint
	case Conflict, Refused:
		return inspect.ToneWarn
	}
	return inspect.ToneBad
}
