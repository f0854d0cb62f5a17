package gapstore

import "github.com/gapctl/gapctl/codec"

// checkDeal: each point of each partition goes to one member, evenly.
func (m *model) checkDeal() {
	points, keepers, slots := map[place]int64{}, map[place]int{}, map[uint32]bool{}
	for name, a := range m.dealt {
		load := int64(0)
		for _, s := range a.shares {
			points[s.place] += s.points.Len()
			load += s.points.Len()
			if s.keeper {
				keepers[s.place]++
			}
			for _, other := range m.dealt {
				for _, o := range other.shares {
					if other != a && o.place == s.place && !o.points.Clip(s.points).Empty() {
						m.fail("%v: %v and %v overlap", s.place, s.points, o.points)
					}
				}
			}
		}
		if fair := int64(modelPartitions) * pointSpace / int64(len(m.dealt)); load < fair-1 || load > fair+1 {
			m.fail("%s has %d points of %d", name, load, fair)
		}
		if slots[a.slot] || a.slot == 0 {
			m.fail("slot %d twice", a.slot)
		}
		slots[a.slot] = true
	}
	for at := range m.logs {
		if len(m.dealt) > 0 && (points[at] != pointSpace || keepers[at] != 1) {
			m.fail("%v: %d points given out, %d keepers", at, points[at], keepers[at])
		}
	}
}

// checkOwner: nobody writes into the slot of another living member.
func (m *model) checkOwner(w *modelMember, d draft, r codec.Record) {
	got, err := codec.DecodeNativeRecord(r.Key, r.Value)
	if err != nil {
		m.fail("%v", err)
	}
	slot := got.Slot
	if slot == w.slot && !d.from.share.keeper || slot == 0 && d.from.share.keeper {
		return
	}
	if r.Value != nil {
		m.fail("%s writes into slot %d", w.name, slot)
	}
	for name, a := range m.dealt {
		if a.slot == slot {
			m.fail("%s deletes slot %d, which %s has", w.name, slot, name)
		}
	}
}

// checkUnion: nothing is committed that was not processed, nothing that was
// committed is forgotten, and the offset is not above what is outstanding.
func (m *model) checkUnion(at place) {
	e := m.entry(at)
	state, err := e.State()
	if err != nil {
		m.fail("%v: %v", at, err)
	}
	for _, r := range m.logs[at] {
		rec := modelRecord{at, r.Offset}
		if state.Completed(r.Offset) && !m.processed[rec] {
			m.fail("%v: %d is committed, but was never processed", at, r.Offset)
		}
		if m.committed[rec] && !state.Completed(r.Offset) {
			m.fail("%v: the commit of %d is forgotten", at, r.Offset)
		}
	}
	if m.kafka[at] > state.Stable {
		m.fail("%v: the offset is %d, stable %d", at, m.kafka[at], state.Stable)
	}
}
