package inspect

import (
	"fmt"

	"github.com/gapctl/gapctl/codec"
)

func rejected(_ *Group, p *Partition) *Finding {
	if len(p.State.Delivery) == 0 || !p.HasState() {
		return nil
	}
	ranges := codec.Rejected(p.State)
	if ranges.Empty() {
		return nil
	}
	return &Finding{
		Kind: "rejected", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("archived without being processed, because rejected or delivered too often: %s", Plural(ranges.Count(), "record")),
		Remedy:  p.Command("records", "--rejected"),
	}
}

func nearDeliveryLimit(g *Group, p *Partition) *Finding {
	if g.DeliveryLimit <= 0 || !p.HasState() {
		return nil
	}
	var near []codec.Range
	for _, d := range p.State.Delivery {
		if d.State == codec.Available && int(d.Count) >= g.DeliveryLimit-1 && d.Count > 0 {
			near = append(near, d.Range)
		}
	}
	if len(near) == 0 {
		return nil
	}
	ranges := codec.NewRanges(near...)
	return &Finding{
		Kind: "near-delivery-limit", Level: LevelWarn, Ranges: ranges,
		Message: fmt.Sprintf("delivered in vain so often that the next time is the last (the limit is %d): %s", g.DeliveryLimit, Plural(ranges.Count(), "record")),
		Remedy:  p.Command("records"),
	}
}
