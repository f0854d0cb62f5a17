package inspect

import (
	"fmt"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// SlotView is what one member has committed of a partition in the native
// format. The partition is the union of its slots.
type SlotView struct {
	Slot        Count `json:"slot"`
	Stable      Count `json:"stable"`
	Max         Count `json:"max"`
	GapCount    Count `json:"gap_count"`
	Outstanding Count `json:"outstanding"`
	// Generation is that of the group, or the member's epoch, at the commit.
	Generation  Count `json:"generation"`
	CommittedAt Time  `json:"committed_at"`
	// Member, ClientID and InstanceID say who writes the slot now.
	Member     Name       `json:"member"`
	ClientID   Name       `json:"client_id"`
	InstanceID Name       `json:"instance_id"`
	Error      *ErrorView `json:"error"`
}

// newSlotViews are the slots that count for p.
func newSlotViews(p *Partition) []SlotView {
	if p.Home != gapstore.HomeNative {
		return []SlotView{}
	}
	views := make([]SlotView, len(p.Slots))
	for i := range p.Slots {
		views[i] = newSlotView(p, &p.Slots[i])
	}
	return views
}

func newSlotView(p *Partition, s *gapstore.Slot) SlotView {
	v := SlotView{
		Slot: Count(s.Slot), Stable: -1, Max: -1, GapCount: -1, Outstanding: -1, Generation: -1, Error: newErrorView(s.Err),
	}
	if s.Err == nil {
		v.Stable, v.Max = Count(s.State.Stable), Count(s.State.Max)
		v.GapCount, v.Outstanding = Count(s.State.Gaps.Len()), Count(s.State.Gaps.Count())
		v.Generation = Count(s.Head.Generation)
		if s.Head.Time > 0 {
			v.CommittedAt = Time{time.UnixMilli(s.Head.Time).UTC()}
		}
	}
	if m, ok := p.holders[gapstore.HeldSlot{Topic: p.Topic, Partition: p.Partition, Slot: s.Slot}]; ok {
		v.Member, v.ClientID, v.InstanceID = Name(m.ID), Name(m.ClientID), Name(m.InstanceID)
	}
	return v
}

func (v *SlotView) writeJSON(j *jsonWriter) {
	j.open("", '{')
	j.count("slot", v.Slot)
	j.count("stable", v.Stable)
	j.count("max", v.Max)
	j.count("gap_count", v.GapCount)
	j.count("outstanding", v.Outstanding)
	j.count("generation", v.Generation)
	j.time("committed_at", v.CommittedAt)
	j.name("member", v.Member)
	j.name("client_id", v.ClientID)
	j.name("instance_id", v.InstanceID)
	v.Error.writeJSON(j)
	j.close('}')
}

// slotNotes appends what each member has committed of a partition that several
// consume together.
func (v *PartitionView) slotNotes(notes []Cell, now Time) []Cell {
	if len(v.Slots) == 0 || len(v.Slots) == 1 && v.Slots[0].Slot == 0 {
		return notes
	}
	notes = append(notes, text(fmt.Sprintf("  slots %s: consumed together; it is the union of what each has committed", v.place())))
	for i := range v.Slots {
		notes = append(notes, text("    "+v.Slots[i].line(now)))
	}
	return notes
}

// line is a slot in words.
func (v *SlotView) line(now Time) string {
	who := "held by no member now"
	switch {
	case v.InstanceID != "":
		who = fmt.Sprintf("held by instance %s, member %s", v.InstanceID, v.Member)
	case v.Member != "":
		who = "held by member " + string(v.Member)
	}
	if v.Error != nil {
		return fmt.Sprintf("slot %s, %s: %s", v.Slot, who, v.Error.Message)
	}
	line := fmt.Sprintf("slot %s, %s: stable %s, max %s, %s outstanding in %s", v.Slot, who, v.Stable, v.Max, v.Outstanding, Plural(v.GapCount, "gap"))
	if !v.CommittedAt.IsZero() {
		line += fmt.Sprintf(", committed %s ago", v.CommittedAt.appendAge(nil, now))
	}
	return line
}
