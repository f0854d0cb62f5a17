package gapstore

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// revoke finishes what is in hand, mostly, commits it, mostly, and gives all up.
func (m *model) revoke(w *modelMember) {
	if m.rng.IntN(4) > 0 {
		for len(w.hand) > 0 {
			m.process(w)
		}
	}
	if w.txn == nil {
		m.stage(w)
	}
	if w.txn != nil && m.rng.IntN(10) > 0 {
		m.confirm(w.txn)
		if w.txn != nil && m.rng.IntN(10) > 0 {
			m.end(w.txn, true)
		}
	}
	w.begun, w.parts = false, map[place]*tracked{}
	clear(w.hand)
	w.done = nil
}

// begin reads Kafka's offsets, some time ago, and the slots, once no
// transaction is open.
func (m *model) begin(w *modelMember) {
	if w.begun || len(w.parts) == 0 {
		return
	}
	m.settleAll()
	if w.gone || w.generation != m.generation {
		return // to a ghost, anything may be told; it can not commit
	}
	parts := m.resume(w)
	if movedBack(parts) > 0 {
		for at := range w.asked {
			w.asked[at] = m.kafka[at]
		}
		parts = m.resume(w)
	}
	foreign := 0
	for _, t := range parts {
		if t.movedBack && t.share.keeper {
			m.apply(&modelTxn{of: w, drafts: m.drafts([]*tracked{t})})
		} else if t.movedBack {
			foreign++
		}
	}
	if foreign > 0 {
		return // until its keeper has begun
	}
	w.begun = true
	for _, t := range parts {
		w.parts[t.place] = t
		w.next[t.place], _ = slices.BinarySearchFunc(m.logs[t.place], max(0, t.next), func(r *kgo.Record, at int64) int { return int(r.Offset - at) })
	}
}

func movedBack(parts []*tracked) (n int) {
	for _, t := range parts {
		if t.movedBack {
			n++
		}
	}
	return n
}

func (m *model) resume(w *modelMember) (parts []*tracked) {
	for at, t := range w.parts {
		offset := kgo.NewOffset().AtStart()
		if w.asked[at] >= 0 {
			offset = kgo.NewOffset().At(w.asked[at])
		}
		o := takeover{id: m.id(at), slot: w.slot, share: t.share, sharing: m.sharing, native: m.entry(at), offset: offset.EpochOffset()}
		resumed, err := o.resume()
		if err != nil {
			m.fail("%v", err)
		}
		parts = append(parts, resumed)
	}
	return parts
}

// poll gives a member a few records.
func (m *model) poll(w *modelMember) {
	if !w.begun {
		return
	}
	for at, t := range w.parts {
		for range m.rng.IntN(20) {
			if w.next[at] == len(m.logs[at]) {
				break
			}
			r := m.logs[at][w.next[at]]
			w.next[at]++
			if t.deliver(r) {
				m.deliver(w, r)
			}
		}
	}
}

func (m *model) deliver(w *modelMember, r *kgo.Record) {
	at := modelRecord{place{r.Topic, r.Partition}, r.Offset}
	w.hand[at] = r
	if w.gone || w.generation != m.generation {
		return
	}
	if m.committed[at] {
		m.fail("%v is delivered again to %s, though it is committed", at, w.name)
	}
	for _, other := range m.members {
		for _, held := range other.hand {
			if other != w && !other.dead && held.Partition == r.Partition && (held.Offset == r.Offset ||
				m.sharing == ByKey && r.Key != nil && string(held.Key) == string(r.Key)) {
				m.fail("%s and %s have %q at once", w.name, other.name, r.Key)
			}
		}
	}
}

// process does one record.
func (m *model) process(w *modelMember) {
	for at, r := range w.hand {
		delete(w.hand, at)
		if m.rng.IntN(30) > 0 { // else it fails
			m.processed[at] = true
			w.parts[at.place].done(r)
			w.done = append(w.done, at)
		}
		return
	}
}

func (m *model) drafts(parts []*tracked) (drafts []draft) {
	for _, t := range parts {
		d, ok, err := t.take(codec.NativeStamp{Generation: m.generation})
		if err != nil {
			m.fail("%v", err)
		}
		if ok {
			drafts = append(drafts, d)
		}
	}
	return drafts
}

// stage writes the records of a commit into the log.
func (m *model) stage(w *modelMember) {
	if w.txn != nil || !w.begun {
		return
	}
	var parts []*tracked
	for at, t := range w.parts {
		parts = append(parts, t)
		for _, slot := range t.share.others {
			id := m.id(at)
			id.Slot = slot
			if s := m.topic.Slot(id); s != nil && m.rng.IntN(3) > 0 && !w.gone {
				if err := t.absorb(s); err != nil {
					m.fail("%v", err)
				}
			}
		}
		if !t.share.keeper {
			t.pass(m.kafka[at])
		}
	}
	w.txn = &modelTxn{of: w, drafts: m.drafts(parts), acks: slices.Clone(w.done)}
	m.open = append(m.open, w.txn)
}

// confirm is the coordinator's judgement of the membership.
func (m *model) confirm(x *modelTxn) {
	if x.of.gone || x.of.generation != m.generation {
		m.end(x, false)
		return
	}
	x.confirmed = true
}

// end ends a transaction.
func (m *model) end(x *modelTxn, commit bool) {
	x.ended, x.of.txn = true, nil
	m.open = slices.DeleteFunc(m.open, func(o *modelTxn) bool { return o == x })
	if commit {
		m.apply(x)
	}
	for _, d := range x.drafts {
		if commit && m.rng.IntN(5) > 0 {
			d.settle()
		} else {
			d.giveBack() // or nobody knows
		}
	}
}

// settleAll ends the transactions that are open. Those of the dead are aborted;
// any that were confirmed may have been committed just before.
func (m *model) settleAll() {
	for len(m.open) > 0 {
		x := m.open[0]
		if !x.confirmed {
			m.confirm(x)
		}
		if !x.ended {
			m.end(x, !x.of.dead || m.rng.IntN(2) > 0)
		}
	}
}

// apply makes a transaction's records and offsets what is committed.
func (m *model) apply(x *modelTxn) {
	for _, d := range x.drafts {
		at := d.from.place
		for _, r := range d.records {
			m.checkOwner(x.of, d, r)
			if err := m.topic.Apply(r.Key, r.Value); err != nil {
				m.fail("%v", err)
			}
		}
		if d.from.share.keeper {
			if d.commit.Offset < m.kafka[at] {
				m.fail("%v: the offset goes back from %d to %d", at, m.kafka[at], d.commit.Offset)
			}
			m.kafka[at] = d.commit.Offset
		}
	}
	for _, at := range x.acks {
		m.committed[at] = true
	}
	for _, d := range x.drafts {
		m.checkUnion(d.from.place)
	}
}
