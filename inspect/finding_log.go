package inspect

import (
	"fmt"

	"github.com/gapctl/gapctl/gapstore"
)

func lost(_ *Group, p *Partition) *Finding {
	ranges := p.Lost()
	if ranges.Empty() {
		return nil
	}
	return &Finding{
		Kind: "lost", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("outstanding, but removed by retention, which keeps the log from %d on: %s will never be processed", p.LogStart, Plural(ranges.Count(), "record")),
		Remedy:  p.Command("compact"),
	}
}

// isOrphan reports whether the topic, or the partition, is gone: its log is
// unknown although nothing failed.
func (p *Partition) isOrphan() bool { return p.Err == nil && p.LogEnd == gapstore.NoOffset }

// orphan warns of a commit that nobody can use. No command resolves it: there is
// no request to delete one commit of a topic that is gone, and it is not said
// lightly to delete a group.
func orphan(_ *Group, p *Partition) *Finding {
	if !p.isOrphan() {
		return nil
	}
	f := &Finding{
		Kind: "orphan", Level: LevelWarn, Ranges: p.State.Gaps,
		Message: "the commit is for a topic or partition that does not exist (any more)",
	}
	if p.Home == gapstore.HomeCommit {
		f.Message += "; Kafka drops it by itself, when no member has subscribed to the topic for as long as offsets.retention.minutes says, or with its group"
	}
	return f
}

func beyondLogEnd(_ *Group, p *Partition) *Finding {
	if !p.HasState() || p.LogEnd < 0 || p.State.Max <= p.LogEnd {
		return nil
	}
	return &Finding{
		Kind: "beyond-log-end", Level: LevelError, Ranges: span(p.LogEnd, p.State.Max),
		Message: fmt.Sprintf("committed up to %d, but the log ends at %d: records were lost, or the topic was made anew; what comes now below %d will be skipped", p.State.Max, p.LogEnd, p.State.Max),
		Remedy:  p.Command("reset", "--to-latest"),
	}
}

func topicRecreated(_ *Group, p *Partition) *Finding {
	var none [16]byte
	otherID := p.TopicID != none && p.LogID != none && p.TopicID != p.LogID
	// Leader epochs only grow as long as a topic lives.
	otherEpoch := p.Home == gapstore.HomeCommit && p.LogEpoch >= 0 && p.LeaderEpoch > p.LogEpoch
	if !otherID && !otherEpoch {
		return nil
	}
	return &Finding{
		Kind: "topic-recreated", Level: LevelError, Ranges: span(0, p.State.Max),
		Message: "the commit is for an earlier topic of this name: its offsets mean other records now",
		Remedy:  p.Command("reset", "--to-earliest"),
	}
}
