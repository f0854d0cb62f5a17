package inspect

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// metric is one metric of the text format, with what it is of a partition.
type metric struct {
	name, help string
	of         func(s *Snapshot, p *Partition) (value float64, known bool)
}

func counted(n int64) (float64, bool) { return float64(n), n >= 0 }

// partitionMetrics are gauges of every partition where they are known.
func partitionMetrics() []metric {
	return []metric{
		{"gapctl_partition_read", "Whether everything about the partition could be read: 1 or 0.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return oneIf(p.Err == nil), true
		}},
		{"gapctl_partition_outstanding", "Offsets in gaps, as recorded.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return float64(p.State.Outstanding()), p.HasState()
		}},
		{"gapctl_partition_gaps", "Gaps, which are maximal ranges of offsets that are not committed.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return float64(p.State.Gaps.Len()), p.HasState()
		}},
		{"gapctl_partition_lag", "Offsets from the stable offset to the log end.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return counted(p.Lag())
		}},
		{"gapctl_partition_true_lag", "Offsets that really remain: those in gaps that the log still holds, and those from the max offset on.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return counted(p.TrueLag())
		}},
		{"gapctl_partition_oldest_gap_age_seconds", "Age of the oldest record in a gap.", func(s *Snapshot, p *Partition) (float64, bool) {
			return max(0, s.TakenAt.Sub(p.OldestGapAt).Seconds()), !p.OldestGapAt.IsZero()
		}},
		{"gapctl_partition_room_ratio", "Share of its limit that the metadata uses, where there is a limit.", func(_ *Snapshot, p *Partition) (float64, bool) {
			return float64(p.Size) / float64(max(1, p.SizeLimit)), p.SizeLimit > 0 && gapFormat(p.Entry) != ""
		}},
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// WritePrometheus writes v in the text format of Prometheus, version 0.0.4, as
// the textfile collector of the node exporter reads it.
func (v CheckView) WritePrometheus(w io.Writer) error {
	p := &promWriter{w: bufio.NewWriter(w)}
	s := &v.Snapshot
	p.head("gapctl_check_timestamp_seconds", "When the groups were checked, in Unix time.")
	p.sample("gapctl_check_timestamp_seconds", float64(s.TakenAt.UnixMilli())/1000, "cluster", s.ClusterID)
	p.head("gapctl_group_read", "Whether the group as a whole could be read: 1 or 0.")
	for i := range s.Groups {
		p.sample("gapctl_group_read", oneIf(s.Groups[i].Err == nil), "group", s.Groups[i].Name)
	}
	p.head("gapctl_group_members", "Members of the group.")
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Err == nil {
			p.sample("gapctl_group_members", float64(len(g.Members)), "group", g.Name)
		}
	}
	for _, m := range partitionMetrics() {
		p.head(m.name, m.help)
		eachPartition(s.Groups, func(of *Partition) {
			if value, known := m.of(s, of); known {
				p.sample(m.name, value, "group", of.Group, "topic", of.Topic, "partition", strconv.Itoa(int(of.Partition)))
			}
		})
	}
	p.head("gapctl_partition_finding", "What is wrong with the partition, or worth knowing: 1 for each kind that was found.")
	for i := range v.Findings {
		f := &v.Findings[i]
		p.sample("gapctl_partition_finding", 1, "group", f.Group, "topic", f.Topic,
			"partition", strconv.Itoa(int(f.Partition)), "kind", f.Kind, "level", string(f.Level))
	}
	p.head("gapctl_findings", "Findings of each level.")
	for _, level := range []Level{LevelInfo, LevelWarn, LevelError} {
		p.sample("gapctl_findings", float64(v.Count(level)), "level", string(level))
	}
	return p.w.Flush()
}

// promWriter writes samples. Its buffer keeps the first error.
type promWriter struct{ w *bufio.Writer }

// head begins a metric; they are all gauges.
func (p *promWriter) head(name, help string) {
	p.w.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n")
}

// sample writes one value, with labels as names and values in turn.
func (p *promWriter) sample(name string, value float64, labels ...string) {
	p.w.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		p.w.WriteByte("{,"[min(i, 1)])
		p.w.WriteString(labels[i] + `="` + escapeLabel(labels[i+1]) + `"`)
	}
	p.w.WriteString("} " + strconv.FormatFloat(value, 'f', -1, 64) + "\n")
}

// escapeLabel is the value of a label, without what could command a terminal.
func escapeLabel(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(Clean(value))
}
