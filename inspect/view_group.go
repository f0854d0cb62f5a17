package inspect

import (
	"errors"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// GroupView is one group, summed up over its partitions. A sum leaves out the
// partitions where it is not known, and is null when it is known for none.
type GroupView struct {
	Group       string   `json:"group"`
	State       Name     `json:"state"`
	Type        Name     `json:"type"`
	Members     int      `json:"members"`
	Formats     []string `json:"formats"`
	Partitions  int      `json:"partitions"`
	GapCount    Count    `json:"gap_count"`
	Outstanding Count    `json:"outstanding"`
	Lag         Count    `json:"lag"`
	TrueLag     Count    `json:"true_lag"`
	OldestGapAt Time     `json:"oldest_gap_at"`
	Level       Level    `json:"level"`
	// Error is why the group as a whole could not be read.
	Error *ErrorView `json:"error"`

	partial bool   // some partitions were not asked for
	worst   string // kind of the worst finding, "" when all is well
}

// NewGroupView sums up g.
func NewGroupView(g *Group) GroupView {
	v := GroupView{
		Group: g.Name, State: Name(g.State), Type: Name(g.Type), Members: len(g.Members),
		Formats: append([]string{}, g.Formats()...), Partitions: len(g.Partitions),
		OldestGapAt: Time{g.OldestGapAt()}, Level: g.Level(), Error: newErrorView(g.Err),
	}
	if len(g.Partitions) > 0 || g.Err != nil {
		v.GapCount, v.Outstanding = Count(g.GapCount()), Count(g.Outstanding())
		v.Lag, v.TrueLag = Count(g.Lag()), Count(g.TrueLag())
	}
	v.worst, v.partial = g.worst(v.Level), g.partial
	return v
}

// worst is the kind of the first finding of that level, or the class of the
// error that is one; "" when there is none.
func (g *Group) worst(level Level) string {
	if g.Err != nil {
		return ErrorClass(g.Err)
	}
	failed := ""
	for i := range g.Partitions {
		p := &g.Partitions[i]
		for _, f := range p.Findings {
			if f.Level == level {
				return f.Kind
			}
		}
		if failed == "" && p.Err != nil {
			failed = ErrorClass(p.Err)
		}
	}
	return failed
}

// rank orders the levels.
func (l Level) rank() int {
	return slices.Index([]Level{LevelOK, LevelInfo, LevelWarn, LevelError}, l)
}

// gapFormat is the entry's format when that holds gaps, otherwise "".
func gapFormat(e *gapstore.Entry) string {
	if e.Foreign {
		return ""
	}
	return e.Format
}

// holdsGaps reports whether the group has gap commits, or may have some that
// can not be read.
func (g *Group) holdsGaps() bool {
	return g.Err != nil || slices.ContainsFunc(g.Partitions, func(p Partition) bool {
		return p.Err != nil && !p.HasState() || gapFormat(p.Entry) != ""
	})
}

// ErrorView is why something could not be read.
type ErrorView struct {
	Class   string `json:"class"`
	Message string `json:"message"`
	// Position is a character of the metadata, or a byte of its payload.
	Position Count `json:"position"`
	// Cause is the error itself.
	Cause error `json:"-"`
}

func newErrorView(err error) *ErrorView {
	if err == nil {
		return nil
	}
	v := &ErrorView{Class: ErrorClass(err), Message: err.Error(), Position: -1, Cause: err}
	var bad *codec.Error
	if errors.As(err, &bad) {
		v.Position = Count(bad.Position)
	}
	return v
}

// ErrorClass is the name that the output has for the class of err.
func ErrorClass(err error) string {
	switch {
	case errors.Is(err, codec.ErrCorrupt):
		return "corrupt"
	case errors.Is(err, codec.ErrUnknownFormat):
		return "unknown-format"
	case errors.Is(err, codec.ErrAmbiguous):
		return "ambiguous"
	case errors.Is(err, codec.ErrTooLarge):
		return "too-large"
	case errors.Is(err, codec.ErrUnsupported), errors.Is(err, gapstore.ErrUnsupported):
		return "unsupported"
	case errors.Is(err, gapstore.ErrDenied):
		return "denied"
	case errors.Is(err, gapstore.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, gapstore.ErrNotFound):
		return "not-found"
	}
	return "failure"
}

func (e *ErrorView) writeJSON(j *jsonWriter, key string) {
	if e == nil {
		j.null(key)
		return
	}
	j.open(key, '{')
	j.str("class", e.Class)
	j.str("message", e.Message)
	j.count("position", e.Position)
	j.close('}')
}

// writeSums writes the fields of v, within an open object; without the count
// of partitions where the document has them all.
func (v *GroupView) writeSums(j *jsonWriter, partitions bool) {
	j.str("group", v.Group)
	j.name("state", v.State)
	j.name("type", v.Type)
	j.count("members", Count(v.Members))
	j.strs("formats", v.Formats)
	if partitions {
		j.count("partitions", Count(v.Partitions))
	}
	j.count("gap_count", v.GapCount)
	j.count("outstanding", v.Outstanding)
	j.count("lag", v.Lag)
	j.count("true_lag", v.TrueLag)
	j.time("oldest_gap_at", v.OldestGapAt)
	j.str("level", string(v.Level))
	v.Error.writeJSON(j, "error")
}

// finding is the worst finding as tables show it: "warn near-limit".
func (v *GroupView) finding() Cell {
	if v.worst == "" {
		return Cell{Text: string(v.Level), Tone: ToneGood}
	}
	return Cell{Text: string(v.Level) + " " + v.worst, Tone: v.Level.tone()}
}

func (l Level) tone() Tone {
	switch l {
	case LevelError:
		return ToneBad
	case LevelWarn:
		return ToneWarn
	}
	return TonePlain
}
