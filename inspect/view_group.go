package inspect

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
		Level: g.Level(), Error: newErrorView(g.Err),
	}
	if len(g.Partitions) > 0 || g.Err != nil {
		sums := g.Sums()
		v.GapCount, v.Outstanding = Count(sums.GapCount), Count(sums.Outstanding)
		v.Lag, v.TrueLag = Count(sums.Lag), Count(sums.TrueLag)
		v.OldestGapAt = Time{sums.OldestGapAt}
	}
	v.worst, v.partial = g.worst(v.Level), g.partial
	return v
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
	v.Error.writeJSON(j)
}

// finding is the worst finding as tables show it: "warn near-limit".
func (v *GroupView) finding() Cell {
	if v.worst == "" {
		return Cell{Text: string(v.Level), Tone: ToneGood}
	}
	return Cell{Text: string(v.Level) + " " + v.worst, Tone: v.Level.tone()}
}
