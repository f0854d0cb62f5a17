package gapstore

import (
	"fmt"
	"slices"
	"testing"
)

// reset moves an offset of a group without members.
func (m *model) reset() {
	at := place{"orders", int32(m.rng.IntN(modelPartitions))}
	logEnd := m.logs[at][len(m.logs[at])-1].Offset + 1
	m.kafka[at] = m.rng.Int64N(logEnd + 1)
	for _, r := range m.logs[at] {
		rec := modelRecord{at, r.Offset}
		if r.Offset < m.kafka[at] {
			m.processed[rec] = true // so the operator says
		}
	}
	slots := m.entry(at).Slots
	if len(slots) == 0 || slots[0].Slot != 0 {
		return
	}
	if r, _ := slots[0].Read(); m.kafka[at] < r.Head.Stable {
		for _, r := range m.logs[at] {
			if r.Offset >= m.kafka[at] {
				delete(m.committed, modelRecord{at, r.Offset})
			}
		}
	}
}

// step does anything.
func (m *model) step() {
	alive := slices.DeleteFunc(slices.Clone(m.members), func(w *modelMember) bool { return w.dead })
	w := pick(m, alive)
	if m.rng.IntN(10) == 0 {
		w = pick(m, m.ghosts)
	}
	n := m.rng.IntN(100)
	if n < 22 && m.rng.IntN(1+3*int(m.seed%4)) > 0 {
		n = 22 + m.rng.IntN(78) // some schedules are calmer
	}
	switch {
	case n < 4 && len(alive) < 6:
		m.born++
		m.hire(fmt.Sprint("member-", m.born))
		m.rebalance()
	case n < 8:
		m.rebalance()
	case w == nil:
	case n < 10 && !w.gone: // killed
		w.dead = true
	case n < 12 && !w.gone: // taken for dead
		w.gone = true
		m.ghosts = append(m.ghosts, w)
		m.members = slices.DeleteFunc(m.members, func(o *modelMember) bool { return o == w })
		m.rebalance()
	case n < 17 && !w.gone && w.generation == m.generation && m.dealt[w.name] != nil: // another process in its place
		w.gone = true
		m.ghosts = append(m.ghosts, w)
		m.members = slices.DeleteFunc(m.members, func(o *modelMember) bool { return o == w })
		next := m.hire(w.name)
		next.generation = m.generation
		m.deal(next)
	case n < 18 && !w.gone: // leaves
		m.revoke(w)
		m.members = slices.DeleteFunc(m.members, func(o *modelMember) bool { return o == w })
		m.rebalance()
	case n < 22:
		m.everybodyLeaves()
		if m.rng.IntN(2) == 0 {
			m.reset()
		}
		for range m.rng.IntN(4) {
			m.born++
			m.hire(fmt.Sprint("member-", m.born))
		}
		m.rebalance()
	case w.dead:
	case n < 38:
		m.begin(w)
	case n < 55:
		m.poll(w)
	case n < 80:
		m.process(w)
	case n < 90:
		m.stage(w)
	case w.txn == nil:
	case !w.txn.confirmed:
		m.confirm(w.txn)
	default:
		m.end(w.txn, true)
	}
}

func (m *model) everybodyLeaves() {
	for _, w := range m.members {
		if !w.dead {
			m.revoke(w)
		}
	}
	m.members = nil
	m.generation++
	m.settleAll()
}

// finish lets one member work off what is left.
func (m *model) finish() {
	m.everybodyLeaves()
	w := m.hire("last")
	m.rebalance()
	for m.begin(w); !w.begun; m.begin(w) {
	}
	for range 100 {
		m.poll(w)
	}
	for at, r := range w.hand {
		m.processed[at] = true
		w.parts[at.place].done(r)
	}
	m.apply(&modelTxn{of: w, drafts: m.drafts(slices.Collect(func(yield func(*tracked) bool) {
		for _, t := range w.parts {
			if !yield(t) {
				return
			}
		}
	}))})
	for at, log := range m.logs {
		for _, r := range log {
			if !m.processed[modelRecord{at, r.Offset}] {
				m.fail("%v: %d is lost", at, r.Offset)
			}
		}
		e := m.entry(at)
		state, err := e.State()
		end := log[len(log)-1].Offset + 1
		if len(e.Slots) == 0 && m.kafka[at] == end {
			continue // an operator has taken all for done
		}
		if err != nil || state.Stable != end || m.kafka[at] != end || len(e.Slots) != 1 {
			m.fail("%v: stable %d of %d, offset %d, %d slots, error %v", at, state.Stable, end, m.kafka[at], len(e.Slots), err)
		}
	}
}

func TestTogetherAgainstAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		m := newModel(t, seed)
		for range 200 {
			m.step()
		}
		m.finish()
	}
}
