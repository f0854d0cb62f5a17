package repair

import (
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// edit is one partition under a [Reset].
type edit struct {
	reset Reset
	p     *inspect.Partition
	state codec.State  // as it is, canonical
	done  codec.Ranges // what shall be done
	notes []string
}

func (e *edit) note(text string) { e.notes = append(e.notes, text) }

// run changes done as the reset says.
func (e *edit) run() error {
	at := targetOf(e.p)
	if err := e.move(); err != nil {
		return err
	}
	ranges, err := e.inLog(rangesAt(e.reset.Done, at), 0)
	if err != nil {
		return err
	}
	if !ranges.Empty() {
		e.note("done: " + ranges.String())
	}
	e.done = e.done.Union(ranges)
	ranges, err = e.inLog(rangesAt(e.reset.Outstanding, at), e.p.LogStart)
	if err != nil {
		return err
	}
	if !ranges.Empty() {
		e.note("outstanding: " + ranges.String())
	}
	e.done = e.done.Sub(ranges)
	return nil
}

// move moves the stable offset.
func (e *edit) move() error {
	to, moves := e.destination()
	if !moves {
		return nil
	}
	if inside := max(e.p.LogStart, min(to, e.p.LogEnd)); to != inside && to != e.state.Stable {
		if !e.reset.Clamp {
			return outsideLog(to, e.p)
		}
		e.note(fmt.Sprintf("clamped from %d", to))
		to = inside
	}
	switch {
	case to == e.state.Stable:
	case to > e.state.Stable:
		e.note(fmt.Sprintf("forward to %d", to))
		e.done = e.done.Union(below(to))
	case e.reset.KeepDone:
		e.note(fmt.Sprintf("back to %d, keeping what is done above %d", to, e.state.Stable))
		e.done = e.done.Sub(codec.NewRanges(codec.Range{Start: to, End: e.state.Stable}))
	default:
		e.note(fmt.Sprintf("back to %d", to))
		e.done = e.done.Intersect(below(to))
	}
	return nil
}

// destination is the offset to move to; false when this partition stays.
func (e *edit) destination() (int64, bool) {
	switch e.reset.To {
	case ToEarliest:
		return e.p.LogStart, true
	case ToLatest:
		return e.p.LogEnd, true
	case ToCurrent:
		return e.state.Stable, true
	case ToOffset:
		return e.reset.Offset, true
	case ToShift:
		return saturated(e.state.Stable, e.reset.Offset), true
	case ToTable:
		i := slices.IndexFunc(e.reset.Table, func(row TableRow) bool { return row.Topic == e.p.Topic && row.Partition == e.p.Partition })
		if i >= 0 {
			return e.reset.Table[i].Offset, true
		}
	}
	return 0, false
}

// saturated is a+b, or the furthest that fits, for a not negative.
func saturated(a, b int64) int64 {
	if sum := a + b; b < 0 || sum >= a {
		return sum
	}
	return 1<<63 - 1
}

// inLog bounds what is to change to the log, of which the part from start on
// counts.
func (e *edit) inLog(ranges codec.Ranges, start int64) (codec.Ranges, error) {
	inside := ranges.Clip(codec.Range{Start: start, End: e.p.LogEnd})
	outside := ranges.Sub(inside)
	switch {
	case outside.Empty():
		return ranges, nil
	case !e.reset.Clamp:
		return codec.Ranges{}, fmt.Errorf("offsets %s lie outside the log, which holds %d up to %d; --clamp leaves them out", outside, e.p.LogStart, e.p.LogEnd)
	}
	e.note("left out, because not in the log: " + outside.String())
	return inside, nil
}
