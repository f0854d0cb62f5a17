package gapstore

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// takeover is what a member finds when it gets a partition, or a share of it.
type takeover struct {
	id      codec.NativeID // slot 0
	slot    uint32         // the member's own; 0: none
	share   share
	sharing Sharing
	native  codec.NativeEntry
	offset  kgo.EpochOffset // Kafka's

	stable int64 // of slot 0; NoOffset: there is none
	back   bool  // the offset was moved back
}

// slotOf is what the topic has of a slot; nil: nothing.
func (o *takeover) slotOf(slot uint32) *codec.NativeSlot {
	for _, s := range o.native.Slots {
		if s.Slot == slot {
			return s
		}
	}
	return nil
}

// resume is the partition as it was committed. A keeper writes slot 0 and
// Kafka's offset at once: where they differ, somebody has moved the offset
// since, and it says what counts as done: all below it, and when it was moved
// back, nothing above it, in any slot.
func (o *takeover) resume() (*tracked, error) {
	set, err := o.union()
	if err != nil {
		return nil, err
	}
	t := newTracked(o.share.place, o.id, set, o.offset)
	t.share, t.sharing, t.movedBack = o.share, o.sharing, o.back
	if len(o.native.Slots) > 0 {
		t.next = set.Stable()
	}
	if o.share.keeper {
		o.fold(t)
		return t, nil
	}
	t.known, t.set = set, codec.NewGapSet(codec.Complete(set.Stable()))
	t.id.Slot = o.slot
	if own := o.slotOf(o.slot); own != nil {
		// An earlier process of this instance has it in this generation.
		if t.set, _, err = own.GapSet(); err != nil {
			return nil, err
		}
		t.pass(set.Stable())
	}
	return t, nil
}

// union is what is done according to all slots and Kafka's offset, as a change
// to slot 0.
func (o *takeover) union() (set *codec.GapSet, err error) {
	o.stable = NoOffset
	if len(o.native.Slots) == 0 {
		return codec.NewGapSet(codec.Complete(max(0, o.offset.Offset))), nil
	}
	set = codec.NewGapSet(codec.State{})
	if first := o.slotOf(0); first != nil {
		var reading codec.NativeReading
		if set, reading, err = first.GapSet(); err != nil {
			return nil, err
		}
		o.stable = set.Stable()
		if o.back = 0 <= o.offset.Offset && o.offset.Offset < o.stable; o.back {
			set = codec.NewGapSet(codec.Complete(o.offset.Offset))
			set.MarkDirty(reading.Windows...)
			return set, nil
		}
	}
	for _, s := range o.native.Slots {
		if s.Slot == 0 {
			continue
		}
		if err := set.Absorb(s); err != nil {
			return nil, err
		}
	}
	if o.offset.Offset > set.Stable() {
		set.Done(codec.Range{End: o.offset.Offset})
	}
	return set, nil
}

// fold makes the keeper's first commit one that holds what departed members
// have done, and deletes their slots.
func (o *takeover) fold(t *tracked) {
	living := map[uint32]bool{0: true}
	for _, slot := range o.share.others {
		living[slot] = true
	}
	for _, s := range o.native.Slots {
		if living[s.Slot] {
			continue
		}
		for _, r := range s.Records() {
			t.departed = append(t.departed, codec.Record{Key: r.Key})
		}
	}
	t.changed = len(t.departed) > 0 || len(o.native.Slots) > 0 && o.stable != t.set.Stable() ||
		o.offset.Offset >= 0 && o.stable >= 0 && o.offset.Offset != o.stable
}
