package inspect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// records counts the offsets of ranges in words.
func records(ranges codec.Ranges) string {
	if n := ranges.Count(); n != 1 {
		return fmt.Sprintf("%d records", n)
	}
	return "1 record"
}

func lost(_ *Group, p *Partition) (Finding, bool) {
	ranges := p.Lost()
	if ranges.Empty() {
		return Finding{}, false
	}
	return Finding{
		Kind: "lost", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("outstanding, but removed by retention, which keeps the log from %d on: %s will never be processed", p.LogStart, records(ranges)),
		Remedy:  p.command("compact"),
	}, true
}

// orphan warns of a commit that nobody can use. No command resolves it: there is
// no request to delete one commit of a topic that is gone, and it is not said
// lightly to delete a group.
func orphan(_ *Group, p *Partition) (Finding, bool) {
	if !p.isOrphan() {
		return Finding{}, false
	}
	f := Finding{
		Kind: "orphan", Level: LevelWarn, Ranges: p.State.Gaps,
		Message: "the commit is for a topic or partition that does not exist (any more)",
	}
	if p.Home == gapstore.HomeCommit {
		f.Message += "; Kafka drops it by itself, when no member has subscribed to the topic for as long as offsets.retention.minutes says, or with its group"
	}
	return f, true
}

func beyondLogEnd(_ *Group, p *Partition) (Finding, bool) {
	if !p.HasState() || p.LogEnd < 0 || p.State.Max <= p.LogEnd {
		return Finding{}, false
	}
	return Finding{
		Kind: "beyond-log-end", Level: LevelError, Ranges: span(p.LogEnd, p.State.Max),
		Message: fmt.Sprintf("committed up to %d, but the log ends at %d: records were lost, or the topic was made anew; what comes now below %d will be skipped", p.State.Max, p.LogEnd, p.State.Max),
		Remedy:  p.command("reset", "--to-latest"),
	}, true
}

func topicRecreated(_ *Group, p *Partition) (Finding, bool) {
	var none [16]byte
	otherID := p.TopicID != none && p.LogID != none && p.TopicID != p.LogID
	// Leader epochs only grow as long as a topic lives.
	otherEpoch := p.Home == gapstore.HomeCommit && p.LogEpoch >= 0 && p.LeaderEpoch > p.LogEpoch
	if !otherID && !otherEpoch {
		return Finding{}, false
	}
	return Finding{
		Kind: "topic-recreated", Level: LevelError, Ranges: span(0, p.State.Max),
		Message: "the commit is for an earlier topic of this name: its offsets mean other records now",
		Remedy:  p.command("reset", "--to-earliest"),
	}, true
}

func (p *Partition) unknownFormat() bool { return errors.Is(p.Err, codec.ErrUnknownFormat) }

func undecodable(_ *Group, p *Partition) (Finding, bool) {
	if p.Err == nil {
		return Finding{}, false
	}
	var bad *codec.Error
	if !errors.As(p.Err, &bad) || p.unknownFormat() || p.lacksChunks() {
		return Finding{}, false
	}
	f := Finding{Kind: "undecodable", Level: LevelError, Message: "the gaps can not be read: " + bad.Error()}
	if p.Home == gapstore.HomeCommit {
		f.Message += "; to start from the committed offset, drop the metadata"
		f.Remedy = p.command("reset", "--clear-metadata")
	}
	return f, true
}

// shownText is how much of unknown metadata a message quotes, in characters.
const shownText = 40

func foreign(_ *Group, p *Partition) (Finding, bool) {
	switch {
	case p.unknownFormat():
		text := []rune(p.Raw)
		dots := ""
		if len(text) > shownText {
			text, dots = text[:shownText], "…"
		}
		return Finding{Kind: "foreign", Level: LevelWarn,
			Message: fmt.Sprintf("the metadata %+q%s is of no known format: no gaps are read from it, and repairs leave it alone; if nobody needs it, reset --clear-metadata drops it and keeps the committed offset (gapctl history tells when it was written)", string(text), dots),
			Remedy:  p.command("reset", "--clear-metadata")}, true
	case p.Foreign:
		writer := p.Format
		if format, ok := codec.Lookup(p.Format); ok && format.Writer != "" {
			writer = format.Writer
		}
		return Finding{Kind: "foreign", Level: LevelInfo,
			Message: fmt.Sprintf("the metadata is that of %s (format %s); it holds no gaps, and there is nothing to do", writer, p.Format)}, true
	}
	return Finding{}, false
}

func notCanonical(_ *Group, p *Partition) (Finding, bool) {
	if !p.HasState() || p.Foreign {
		return Finding{}, false
	}
	f := Finding{Kind: "not-canonical", Level: LevelInfo}
	err := p.State.Check()
	anomalies := slices.DeleteFunc(slices.Clone(p.Anomalies), hasItsOwnFinding)
	if err == nil && len(anomalies) == 0 {
		return Finding{}, false
	}
	if err != nil {
		f.Level, f.Message, f.Ranges = LevelWarn, err.Error(), p.State.Gaps
	}
	for _, a := range anomalies {
		if f.Message != "" {
			f.Message += "; "
		}
		f.Message += a.Kind + ": " + a.Message
	}
	if p.Home != gapstore.HomeShareState {
		f.Remedy = p.command("compact")
	}
	return f, true
}

// roomLeft compares the size with its limit. Parallel Consumer takes no new
// records of a partition above 75 % of it (PartitionStateManager,
// USED_PAYLOAD_THRESHOLD_MULTIPLIER), and drops the gaps above 100 %.
func roomLeft(_ *Group, p *Partition) (Finding, bool) {
	switch {
	case p.SizeLimit <= 0 || p.Size*4 <= p.SizeLimit*3 || gapFormat(p.Entry) == "":
		return Finding{}, false
	case p.Size > p.SizeLimit:
		return Finding{
			Kind: "over-limit", Level: LevelError, Ranges: p.State.Gaps,
			Message: fmt.Sprintf("the metadata has %d characters, but the broker takes %d now: the next commit of this size fails or loses the gaps", p.Size, p.SizeLimit),
			Remedy:  p.command("compact"),
		}, true
	}
	f := Finding{
		Kind: "near-limit", Level: LevelWarn, Ranges: p.State.Gaps,
		Message: fmt.Sprintf("the metadata uses %d of %d characters: more gaps will not fit", p.Size, p.SizeLimit),
		Remedy:  p.command("records"),
	}
	if p.Format == "parallel-consumer" {
		f.Message = fmt.Sprintf("the metadata uses %d of %d characters: above 75 %% Parallel Consumer takes no new records of this partition until gaps close", p.Size, p.SizeLimit)
	}
	return f, true
}

func rejected(_ *Group, p *Partition) (Finding, bool) {
	if len(p.State.Delivery) == 0 || !p.HasState() {
		return Finding{}, false
	}
	ranges := codec.Rejected(p.State)
	if ranges.Empty() {
		return Finding{}, false
	}
	return Finding{
		Kind: "rejected", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("archived without being processed, because rejected or delivered too often: %s", records(ranges)),
		Remedy:  p.command("records", "--rejected"),
	}, true
}

func nearDeliveryLimit(g *Group, p *Partition) (Finding, bool) {
	if g.DeliveryLimit <= 0 || !p.HasState() {
		return Finding{}, false
	}
	var near []codec.Range
	for _, d := range p.State.Delivery {
		if d.State == codec.Available && int(d.Count) >= g.DeliveryLimit-1 && d.Count > 0 {
			near = append(near, d.Range)
		}
	}
	if len(near) == 0 {
		return Finding{}, false
	}
	ranges := codec.NewRanges(near...)
	return Finding{
		Kind: "near-delivery-limit", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("delivered in vain so often that the next time is the last (the limit is %d): %s", g.DeliveryLimit, records(ranges)),
		Remedy:  p.command("records"),
	}, true
}

func openTransaction(_ *Group, p *Partition) (Finding, bool) {
	if !p.Pending {
		return Finding{}, false
	}
	return Finding{
		Kind: "open-transaction", Level: LevelInfo,
		Message: "a transaction that is still open is about to change this commit",
	}, true
}
