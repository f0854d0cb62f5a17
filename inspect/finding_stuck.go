package inspect

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// stuck warns of a gap that has been there for long. With members somebody
// works on it in vain; without, nobody works at all.
func (c *checking) stuck(g *Group, p *Partition) *Finding {
	if !p.HasState() || c.StuckAfter <= 0 || p.OldestGapAt.IsZero() || c.now.Sub(p.OldestGapAt) < c.StuckAfter {
		return nil
	}
	held := p.State.Gaps.Clip(codec.Range{Start: max(0, p.LogStart), End: p.LogEnd}).Sub(p.Phantoms)
	if held.Empty() {
		return nil
	}
	first := held.First()
	f := &Finding{
		Kind: "stuck", Level: LevelWarn, Ranges: codec.NewRanges(first),
		Message: fmt.Sprintf("%s outstanding, the oldest, at %d, for %s (written at %s)",
			Plural(held.Count(), "record"), first.Start, c.ago(p.OldestGapAt), Time{p.OldestGapAt}),
	}
	target := p.place().String() + "@" + strconv.FormatInt(first.Start, 10)
	if before := c.earlier[p.Key]; before != nil && before.HasState() && before.State.Gaps.Contains(first.Start) {
		f.Message += fmt.Sprintf("; not done within %s", c.Elapsed.Round(time.Second/10))
	}
	f.Remedy = Command("records", g.Name, target)
	if len(g.Members) == 0 {
		f.Message += "; the group has no member that could process them: start its consumer"
		return f
	}
	f.Message += fmt.Sprintf("; the group has %s: the record fails again and again, or its processing hangs; gapctl skip gets past it", Plural(len(g.Members), "member"))
	if p.Home != gapstore.HomeShareState {
		f.Message += ", once the consumers are stopped"
	}
	return f
}
