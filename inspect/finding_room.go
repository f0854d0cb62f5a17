package inspect

import (
	"fmt"
	"math"
	"time"
)

// roomLeft compares the size with its limit. Parallel Consumer takes no new
// records of a partition above 75 % of it (PartitionStateManager,
// USED_PAYLOAD_THRESHOLD_MULTIPLIER), and drops the gaps above 100 %.
func roomLeft(_ *Group, p *Partition) *Finding {
	switch {
	case p.SizeLimit <= 0 || p.Size*4 <= p.SizeLimit*3 || gapFormat(p.Entry) == "":
		return nil
	case p.Size > p.SizeLimit:
		return &Finding{
			Kind: "over-limit", Level: LevelError, Ranges: p.State.Gaps,
			Message: fmt.Sprintf("the metadata has %d characters, but the broker takes %d now: the next commit of this size fails or loses the gaps", p.Size, p.SizeLimit),
			Remedy:  p.Command("compact"),
		}
	}
	f := &Finding{
		Kind: "near-limit", Level: LevelWarn, Ranges: p.State.Gaps,
		Message: fmt.Sprintf("the metadata uses %d of %d characters: more gaps will not fit", p.Size, p.SizeLimit),
		Remedy:  p.Command("records"),
	}
	if p.Format == "parallel-consumer" {
		f.Message = fmt.Sprintf("the metadata uses %d of %d characters: above 75 %% Parallel Consumer takes no new records of this partition until gaps close", p.Size, p.SizeLimit)
	}
	return f
}

// forecastHorizon is within which time a metadata that grows has to become full
// to be worth a warning while it still is small.
const forecastHorizon = time.Hour

// forecast says when the metadata will be full, if it goes on as it did between
// the two samples.
func (c *checking) forecast(g *Group, p *Partition) *Finding {
	before := c.earlier[p.Key]
	if before == nil || c.Elapsed <= 0 || p.SizeLimit <= 0 || p.Size > p.SizeLimit || gapFormat(p.Entry) == "" {
		return nil
	}
	grown := p.Size - before.Size
	if grown <= 0 || before.Format != p.Format {
		return nil
	}
	until := func(size int) time.Duration {
		return time.Duration(min(float64(max(0, size-p.Size))/float64(grown)*float64(c.Elapsed), math.MaxInt64/2))
	}
	rate := fmt.Sprintf("%d characters in %s", grown, c.Elapsed.Round(time.Second/10))
	full := Spell(until(p.SizeLimit))
	f := roomLeft(g, p)
	switch {
	case f != nil:
		f.Message += fmt.Sprintf("; at this rate (%s) full in %s", rate, full)
		return f
	case until(p.SizeLimit) > forecastHorizon:
		return nil
	}
	f = &Finding{
		Kind: "near-limit", Level: LevelWarn, Ranges: p.State.Gaps, Remedy: p.Command("records"),
		Message: fmt.Sprintf("the metadata uses %d of %d characters and grows: at this rate (%s) full in %s", p.Size, p.SizeLimit, rate, full),
	}
	if p.Format == "parallel-consumer" {
		f.Message += fmt.Sprintf("; Parallel Consumer takes no new records of this partition from 75 %% on, in %s", Spell(until(p.SizeLimit*3/4)))
	}
	return f
}
