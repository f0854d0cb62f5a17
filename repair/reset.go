package repair

import (
	"fmt"
	"strings"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// To says where a [Reset] moves the stable offset. The zero value does not
// move it.
type To string

// Where to. ToOffset, ToShift and ToTable take what the Reset says beside.
const (
	ToEarliest To = "earliest" // the log start
	ToLatest   To = "latest"   // the log end
	ToCurrent  To = "current"  // where it is
	ToOffset   To = "offset"   // Reset.Offset
	ToShift    To = "shift-by" // Reset.Offset from where it is, which may be negative
	ToTable    To = "table"    // Reset.Table
	ToNone     To = "none"     // nowhere: the commit is deleted
)

// Reset moves the stable offset, or says of single records that they are done
// or outstanding. It is the only op that may let a record be processed again.
//
// Forward to X: everything below X counts as done; gaps at or above X stay.
// Back to X: everything from X on is outstanding again. Where nothing is
// committed, it makes a commit.
type Reset struct {
	To     To    `json:"to,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	// At is the time from which on records are wanted, where Table was looked
	// up by that.
	At *time.Time `json:"at,omitempty"`
	// Table is an offset for each partition. Those that are not in it stay.
	Table []TableRow `json:"table,omitempty"`
	// KeepDone keeps, on the way back, what was done above the stable offset.
	KeepDone bool `json:"keep_done,omitempty"`
	// Done and Outstanding are records to change, whatever To says.
	Done        []Target `json:"done,omitempty"`
	Outstanding []Target `json:"outstanding,omitempty"`
	// ClearMetadata drops metadata that can not be read or is foreign, and
	// takes the committed offset for all there is.
	ClearMetadata bool `json:"clear_metadata,omitempty"`
	// Clamp moves what lies outside the log to its nearest end.
	Clamp bool `json:"clamp,omitempty"`
	// GapFormat is the format to write gaps in where a commit has none, such as
	// [OnlyFormat]; "" refuses to.
	GapFormat string `json:"gap_format,omitempty"`
}

// Name is "reset".
func (Reset) Name() string { return "reset" }

// Targets are the partitions of Done, Outstanding and Table.
func (r Reset) Targets() []Target {
	targets := append(r.Done[:len(r.Done):len(r.Done)], r.Outstanding...)
	for _, row := range r.Table {
		targets = append(targets, Target{Topic: row.Topic, Partition: row.Partition})
	}
	return targets
}

func (r Reset) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	switch {
	case r.To == ToNone:
		return r.drop(p)
	case uncommitted(p):
		return r.create(p)
	}
	if !r.asks(p) {
		return keep(p), nil
	}
	clear, state := false, current(p)
	if err := legible(p); err != nil {
		if !r.ClearMetadata {
			return proposal{}, fmt.Errorf("%w; --clear-metadata drops it", err)
		}
		clear, state = true, codec.Complete(p.Committed)
	}
	e := edit{reset: r, p: p, state: state, done: completed(state)}
	if err := e.run(); err != nil {
		return proposal{}, err
	}
	want := stateOf(e.done)
	if !clear && want.Equal(state) {
		return keep(p), nil
	}
	format := p.Format
	if clear {
		format = ""
		what := "metadata"
		if p.Home == gapstore.HomeNative {
			what = "native records"
		}
		e.note("drops the " + what)
	}
	if format == "" && !want.Gaps.Empty() && r.GapFormat != "" {
		format = r.GapFormat
		e.note("writes gaps in " + format)
	}
	after, err := encode(p, format, want)
	if err == nil && format == greyhound && want.Gaps.Len() > 1 {
		// Greyhound reads back one gap; several it takes for none, and never
		// handles them. A bare commit at the first is all that it understands.
		e.note(fmt.Sprintf("greyhound can not read back %d gaps: it begins again at the first", want.Gaps.Len()))
		after = commitAt(p, want.Stable, "")
	}
	return proposal{after, strings.Join(e.notes, "; ")}, err
}

// Empty reports whether nothing at all is asked.
func (r Reset) Empty() bool {
	return r.To == "" && !r.ClearMetadata && len(r.Done)+len(r.Outstanding) == 0
}

// asks reports whether anything is asked of p.
func (r Reset) asks(p *inspect.Partition) bool {
	at := targetOf(p)
	_, moves := (&edit{reset: r, p: p}).destination()
	return moves || r.To == ToNone || r.ClearMetadata || !rangesAt(r.Done, at).Empty() || !rangesAt(r.Outstanding, at).Empty()
}

// OnlyFormat is the format in which the group's commits have gaps, if it is one
// and can be written; otherwise "".
func OnlyFormat(g *inspect.Group) string {
	formats := g.Formats()
	if len(formats) != 1 {
		return ""
	}
	if format, ok := codec.Lookup(formats[0]); !ok || !format.Writable() || format.Carrier != codec.CommitMetadata && format.Name != nativeFormat {
		return ""
	}
	return formats[0]
}
