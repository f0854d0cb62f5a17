package gapstore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// A group that consumes together, on a schedule of members that join, leave,
// are killed, are taken for dead, restart in their place, process, commit and
// rebalance, each at any moment, and of an operator who moves offsets. The
// members are the consumer's own code without the network; the group, the
// native topic and its transactions are plain.
type model struct {
	t       *testing.T
	seed    uint64
	rng     *rand.Rand
	sharing Sharing

	logs  map[place][]*kgo.Record
	topic codec.NativeFold
	kafka map[place]int64
	open  []*modelTxn

	generation int32
	dealt      map[string]*assignment // in this generation
	members    []*modelMember         // that the coordinator knows
	ghosts     []*modelMember         // that it does not know any more, and go on
	born       int

	processed map[modelRecord]bool
	committed map[modelRecord]bool
}

type modelRecord struct {
	place
	offset int64
}

// modelMember is one process.
type modelMember struct {
	name       string
	generation int32
	gone       bool // the coordinator refuses it, though nobody has told it
	dead       bool
	begun      bool
	asked      map[place]int64 // Kafka's offsets, when it asked for them
	slot       uint32
	parts      map[place]*tracked
	next       map[place]int // of the log
	hand       map[modelRecord]*kgo.Record
	done       []modelRecord // and not committed
	txn        *modelTxn
}

// modelTxn is a transaction whose records are in the log.
type modelTxn struct {
	of        *modelMember
	drafts    []draft
	acks      []modelRecord
	confirmed bool
	ended     bool
}

const modelPartitions = 3

func newModel(t *testing.T, seed uint64) *model {
	m := &model{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), sharing: Sharing(1 + seed%2), logs: map[place][]*kgo.Record{},
		kafka: map[place]int64{}, processed: map[modelRecord]bool{}, committed: map[modelRecord]bool{}}
	for p := range int32(modelPartitions) {
		at := place{"orders", p}
		m.kafka[at] = NoOffset
		offset := int64(0)
		for range 20 + m.rng.IntN(80) {
			offset += 1 + int64(m.rng.IntN(20)/19) // there are holes
			r := &kgo.Record{Topic: at.topic, Partition: p, Offset: offset - 1}
			if m.rng.IntN(10) > 0 {
				r.Key = fmt.Appendf(nil, "key-%d", m.rng.IntN(12))
			}
			m.logs[at] = append(m.logs[at], r)
		}
	}
	return m
}

func (m *model) id(at place) codec.NativeID {
	return codec.NativeID{Group: "billing", TopicID: [16]byte{1}, Partition: at.partition}
}

func (m *model) entry(at place) (entry codec.NativeEntry) {
	for e := range m.topic.All() {
		if e.Partition == at.partition {
			entry = e
		}
	}
	return entry
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("seed %d, generation %d: %s", m.seed, m.generation, fmt.Sprintf(format, args...))
}

// pick is one of all, or the zero value.
func pick[T any](m *model, all []T) (one T) {
	if len(all) > 0 {
		one = all[m.rng.IntN(len(all))]
	}
	return one
}

// hire makes a process.
func (m *model) hire(name string) *modelMember {
	w := &modelMember{name: name, parts: map[place]*tracked{}, hand: map[modelRecord]*kgo.Record{}}
	m.members = append(m.members, w)
	return w
}

// rebalance lets every member give up what it has, and gives all out anew.
func (m *model) rebalance() {
	for _, w := range m.members {
		if !w.dead {
			m.revoke(w)
		}
	}
	m.members = slices.DeleteFunc(m.members, func(w *modelMember) bool { return w.dead })
	m.generation++
	m.settleAll() // the leader waits for open transactions
	taken := map[uint32]bool{}
	for e := range m.topic.All() {
		for _, s := range e.Slots {
			taken[s.Slot] = true
		}
	}
	topics := map[string][]string{}
	for _, w := range m.members {
		topics[w.name] = []string{"orders"}
	}
	m.dealt = assign(topics, map[string]int32{"orders": modelPartitions}, freeSlots(taken, len(topics)))
	m.checkDeal()
	for _, w := range m.members {
		w.generation = m.generation
		m.deal(w)
	}
}

// deal gives a member what was assigned to its name, through the bytes.
func (m *model) deal(w *modelMember) {
	a, err := parseAssignment(m.dealt[w.name].append(nil))
	if err != nil {
		m.fail("%v", err)
	}
	w.slot, w.begun, w.parts, w.next, w.asked = a.slot, false, map[place]*tracked{}, map[place]int{}, map[place]int64{}
	for _, s := range a.shares {
		w.parts[s.place] = &tracked{place: s.place, share: s}
		w.asked[s.place] = m.kafka[s.place]
	}
}
