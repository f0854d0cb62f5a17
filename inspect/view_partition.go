package inspect

import (
	"github.com/gapctl/gapctl/codec"
)

// PartitionView is one partition of a group.
type PartitionView struct {
	Topic       string         `json:"topic"`
	Partition   int32          `json:"partition"`
	Stable      Count          `json:"stable"`
	Max         Count          `json:"max"`
	LogStart    Count          `json:"log_start"`
	LogEnd      Count          `json:"log_end"`
	LastStable  Count          `json:"last_stable"`
	Gaps        codec.Ranges   `json:"gaps"`
	GapCount    Count          `json:"gap_count"`
	Outstanding Count          `json:"outstanding"`
	Lag         Count          `json:"lag"`
	TrueLag     Count          `json:"true_lag"`
	OldestGapAt Time           `json:"oldest_gap_at"`
	Committed   Count          `json:"committed"`
	Format      Name           `json:"format"`
	Encoding    Name           `json:"encoding"`
	Size        Count          `json:"size"`
	SizeLimit   Count          `json:"size_limit"`
	Rejected    codec.Ranges   `json:"rejected"`
	Delivery    []DeliveryView `json:"delivery"`
	Slots       []SlotView     `json:"slots"`
	Findings    []FindingView  `json:"findings"`
	Error       *ErrorView     `json:"error"`
}

// DeliveryView is one range of a share group's records in equal state.
type DeliveryView struct {
	codec.Range
	State string `json:"state"`
	Count int16  `json:"count"`
}

// FindingView is one finding.
type FindingView struct {
	Kind    string       `json:"kind"`
	Level   Level        `json:"level"`
	Ranges  codec.Ranges `json:"ranges"`
	Message string       `json:"message"`
	Remedy  Name         `json:"remedy"`
}

func newPartitionView(p *Partition) (v PartitionView) {
	v.set(p)
	return v
}

// set makes v, which is zero, the view of p. It is large: whoever makes one for
// each row fills it where it is.
func (v *PartitionView) set(p *Partition) {
	v.Topic, v.Partition = p.Topic, p.Partition
	v.Stable, v.Max, v.GapCount, v.Outstanding = -1, -1, -1, -1
	v.LogStart, v.LogEnd, v.LastStable = Count(p.LogStart), Count(p.LogEnd), Count(p.LastStable)
	v.Lag, v.TrueLag = Count(p.Lag()), Count(p.TrueLag())
	v.OldestGapAt, v.Committed = Time{p.OldestGapAt}, Count(p.Committed)
	v.Size, v.SizeLimit = Count(p.Size), Count(p.SizeLimit)
	if p.SizeLimit == 0 {
		v.SizeLimit = -1
	}
	if v.Format = Name(gapFormat(p.Entry)); v.Format != "" {
		v.Encoding = Name(p.Encoding)
	}
	v.Delivery, v.Slots, v.Findings = []DeliveryView{}, newSlotViews(p), make([]FindingView, len(p.Findings))
	for i := range p.Findings {
		v.Findings[i] = newFindingView(&p.Findings[i])
	}
	if p.HasState() {
		v.setState(&p.State)
	}
	v.Error = newErrorView(p.Err)
}

func (v *PartitionView) setState(s *codec.State) {
	v.Stable, v.Max, v.Gaps = Count(s.Stable), Count(s.Max), s.Gaps
	v.GapCount, v.Outstanding = Count(s.Gaps.Len()), Count(s.Outstanding())
	if len(s.Delivery) > 0 {
		v.Rejected = codec.Rejected(*s)
	}
	for _, d := range s.Delivery {
		v.Delivery = append(v.Delivery, DeliveryView{d.Range, d.State.String(), d.Count})
	}
}

func (v *PartitionView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	j.str("topic", v.Topic)
	j.count("partition", Count(v.Partition))
	j.count("stable", v.Stable)
	j.count("max", v.Max)
	j.count("log_start", v.LogStart)
	j.count("log_end", v.LogEnd)
	j.count("last_stable", v.LastStable)
	j.ranges("gaps", v.Gaps)
	j.count("gap_count", v.GapCount)
	j.count("outstanding", v.Outstanding)
	j.count("lag", v.Lag)
	j.count("true_lag", v.TrueLag)
	j.time("oldest_gap_at", v.OldestGapAt)
	j.count("committed", v.Committed)
	j.name("format", v.Format)
	j.name("encoding", v.Encoding)
	j.count("size", v.Size)
	j.count("size_limit", v.SizeLimit)
	j.ranges("rejected", v.Rejected)
	v.writeLists(j)
	v.Error.writeJSON(j)
	j.close('}')
}

func (v *PartitionView) writeLists(j *jsonWriter) {
	j.open("delivery", '[')
	for _, d := range v.Delivery {
		j.open("", '{')
		j.count("start", Count(d.Start))
		j.count("end", Count(d.End))
		j.str("state", d.State)
		j.count("count", Count(d.Count))
		j.close('}')
	}
	j.close(']')
	j.open("slots", '[')
	for i := range v.Slots {
		v.Slots[i].writeJSON(j)
	}
	j.close(']')
	j.open("findings", '[')
	for _, f := range v.Findings {
		j.open("", '{')
		j.str("kind", f.Kind)
		j.str("level", string(f.Level))
		j.ranges("ranges", f.Ranges)
		j.str("message", f.Message)
		j.name("remedy", f.Remedy)
		j.close('}')
	}
	j.close(']')
}
