package inspect

import "slices"

// Level is how much a finding matters.
type Level string

// The levels, in ascending order.
const (
	LevelOK    Level = "ok"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// rank orders the levels.
func (l Level) rank() int {
	return slices.Index([]Level{LevelOK, LevelInfo, LevelWarn, LevelError}, l)
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

// Level is the worst of what is known about the group. Something that could
// not be read is an error, except metadata of an unknown format, which has its
// own finding.
func (g *Group) Level() Level {
	worst := LevelOK
	raise := func(level Level) {
		if level.rank() > worst.rank() {
			worst = level
		}
	}
	if g.Err != nil {
		raise(LevelError)
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if p.Err != nil && !p.unknownFormat() {
			raise(LevelError)
		}
		for _, f := range p.Findings {
			raise(f.Level)
		}
	}
	return worst
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
