package inspect

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// stuck warns of a gap that has been there for long. With members somebody
// works on it in vain; without, nobody works at all.
func (c *checking) stuck(g *Group, p *Partition) (Finding, bool) {
	if !p.HasState() || c.StuckAfter <= 0 || p.OldestGapAt.IsZero() || c.now.Sub(p.OldestGapAt) < c.StuckAfter {
		return Finding{}, false
	}
	held := p.State.Gaps.Clip(codec.Range{Start: max(0, p.LogStart), End: p.LogEnd}).Sub(p.Phantoms)
	if held.Empty() {
		return Finding{}, false
	}
	first := held.First()
	f := Finding{
		Kind: "stuck", Level: LevelWarn, Ranges: codec.NewRanges(first),
		Message: fmt.Sprintf("%s outstanding, the oldest, at %d, for %s (written at %s)",
			records(held), first.Start, c.ago(p.OldestGapAt), Time{p.OldestGapAt}),
	}
	target := shellQuote(p.place().String() + "@" + strconv.FormatInt(first.Start, 10))
	if before := c.earlier[p.Key]; before != nil && before.HasState() && before.State.Gaps.Contains(first.Start) {
		f.Message += fmt.Sprintf("; not done within %s", c.Elapsed.Round(time.Second/10))
	}
	f.Remedy = "gapctl records " + shellQuote(g.Name) + " " + target
	if len(g.Members) == 0 {
		f.Message += "; the group has no member that could process them: start its consumer"
		return f, true
	}
	f.Message += fmt.Sprintf("; the group has %s: the record fails again and again, or its processing hangs; gapctl skip gets past it", plural(len(g.Members), "member"))
	if p.Home != gapstore.HomeShareState {
		f.Message += ", once the consumers are stopped"
	}
	return f, true
}

// forecastHorizon is within which time a metadata that grows has to become full
// to be worth a warning while it still is small.
const forecastHorizon = time.Hour

// forecast says when the metadata will be full, if it goes on as it did between
// the two samples.
func (c *checking) forecast(g *Group, p *Partition) (Finding, bool) {
	before := c.earlier[p.Key]
	if before == nil || c.Elapsed <= 0 || p.SizeLimit <= 0 || p.Size > p.SizeLimit || gapFormat(p.Entry) == "" {
		return Finding{}, false
	}
	grown := p.Size - before.Size
	if grown <= 0 || before.Format != p.Format {
		return Finding{}, false
	}
	until := func(size int) time.Duration {
		return time.Duration(min(float64(max(0, size-p.Size))/float64(grown)*float64(c.Elapsed), math.MaxInt64/2))
	}
	rate := fmt.Sprintf("%d characters in %s", grown, c.Elapsed.Round(time.Second/10))
	full := inWords(until(p.SizeLimit))
	f, near := roomLeft(g, p)
	switch {
	case near:
		f.Message += fmt.Sprintf("; at this rate (%s) full in %s", rate, full)
		return f, true
	case until(p.SizeLimit) > forecastHorizon:
		return Finding{}, false
	}
	f = Finding{
		Kind: "near-limit", Level: LevelWarn, Ranges: p.State.Gaps, Remedy: p.command("records"),
		Message: fmt.Sprintf("the metadata uses %d of %d characters and grows: at this rate (%s) full in %s", p.Size, p.SizeLimit, rate, full),
	}
	if p.Format == "parallel-consumer" {
		f.Message += fmt.Sprintf("; Parallel Consumer takes no new records of this partition from 75 %% on, in %s", inWords(until(p.SizeLimit*3/4)))
	}
	return f, true
}

// inWords is a time to come in its two largest units.
func inWords(d time.Duration) string {
	now := time.Unix(0, 0)
	return string(Time{now.Add(-d)}.appendAge(nil, Time{now}))
}
