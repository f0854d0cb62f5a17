package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// restart says what the consumer's own library would do with the commit when it
// starts, where that is not what the commit means. The ranges are the records
// that it would process again.
func (c *checking) restart(g *Group, p *Partition) *Finding {
	if p.Home != gapstore.HomeCommit || p.Committed < 0 {
		return nil
	}
	if p.Format == "parallel-consumer" || p.Raw != "" && runsParallelConsumer(g) {
		return c.restartParallelConsumer(p)
	}
	return nil
}

// runsParallelConsumer reports whether that is what the group's other commits
// are from.
func runsParallelConsumer(g *Group) bool {
	return slices.ContainsFunc(g.Partitions, func(p Partition) bool { return p.Format == "parallel-consumer" })
}

func (c *checking) restartParallelConsumer(p *Partition) *Finding {
	start := codec.PCStart{Metadata: p.Raw, Committed: p.Committed, LogEnd: p.LogEnd, First: -1}
	sure := true
	if p.HasState() {
		start.First, sure = c.sample.firstGiven(p)
	}
	f := &Finding{Kind: "restart", Level: LevelWarn}
	var releases, texts []string // equal texts are one
	matters := false
	for _, take := range start.Takes() {
		held := take.Again
		if p.knowsLog() {
			held = held.Clip(codec.Range{Start: p.LogStart, End: p.LogEnd})
		}
		f.Ranges = f.Ranges.Union(held)
		matters = matters || take.Outcome != codec.PCLoads && !(take.Outcome == codec.PCDrops && take.Known && held.Empty())
		text := tells(&take, held)
		if n := len(texts); n > 0 && texts[n-1] == text {
			releases[n-1] += ", " + take.Releases
			continue
		}
		releases, texts = append(releases, take.Releases), append(texts, text)
	}
	if !matters {
		return nil
	}
	for i := range texts {
		texts[i] = releases[i] + ": " + texts[i]
	}
	f.Message = "on its start, Parallel Consumer " + strings.Join(texts, "; ")
	if !sure {
		f.Message += fmt.Sprintf(" (if a record is left below %d)", p.State.Stable)
	}
	if !f.Ranges.Empty() {
		f.Remedy = p.Command("compact")
	} else if p.Err != nil || p.Foreign {
		f.Remedy = p.Command("reset", "--clear-metadata")
	}
	return f
}

// tells puts in words how the metadata is taken, where the log still holds those
// records that are processed again.
func tells(t *codec.PCTake, again codec.Ranges) string {
	text := ""
	switch t.Outcome {
	case codec.PCLoads:
		return "loads the map as it is"
	case codec.PCStops:
		return "stops: " + t.Why
	case codec.PCMisreads:
		text = "misreads the map: " + t.Why
		if !t.Skips.Empty() {
			text += fmt.Sprintf(", so that it never processes %s", t.Skips)
		}
		return text
	}
	text = "drops the map: " + t.Why
	switch {
	case !t.Known:
		text += "; it processes everything from the committed offset on again"
	case again.Empty():
		text += "; that changes nothing"
	default:
		text += fmt.Sprintf("; it processes %s again that are done (%s)", Plural(again.Count(), "record"), shortRanges(again))
	}
	return text
}

// restartGreyhound warns that greyhound reads two gaps or more as none, because
// it parts them by a regular expression that is the end of the text (Gap.parse).
// It then goes on at the committed offset. It takes no evidence to say so.
func restartGreyhound(_ *Group, p *Partition) *Finding {
	if p.Home != gapstore.HomeCommit || p.Format != "greyhound" || !p.HasState() || p.State.Gaps.Len() < 2 {
		return nil
	}
	skipped := p.State.Gaps.Clip(codec.Range{Start: max(0, p.LogStart), End: p.Committed})
	if skipped.Empty() {
		return nil
	}
	return &Finding{
		Kind: "restart", Level: LevelWarn, Ranges: skipped,
		Message: fmt.Sprintf("on its start, greyhound reads more than one gap as none: it goes on at %d and never processes %s (%s)",
			p.Committed, Plural(skipped.Count(), "record"), shortRanges(skipped)),
		Remedy: p.Command("replay", "--to-topic", "RETRY-TOPIC"),
	}
}
