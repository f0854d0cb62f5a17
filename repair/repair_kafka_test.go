package repair

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// kafkaScene is a group on a real broker.
func kafkaScene(t *testing.T, b *kafkatest.Broker, group string) *realScene {
	return &realScene{scene{t: t, addrs: []string{b.Addr()}, journal: Journal{Dir: filepath.Join(t.TempDir(), "journal")}}, group}
}

type realScene struct {
	scene
	group string
}

// repair plans op for some partitions, applies the plan, and insists on it.
func (s *realScene) repair(op Op, topics ...string) (Plan, Result) {
	s.t.Helper()
	p := s.plan(op, topics...)
	r := s.applier(s.dial).Apply(s.t.Context(), p, Approve(p, "me@here", "test"))
	if r.Err != nil || p.Empty() || len(p.Refusals) > 0 || r.Count(Applied) != len(p.Changes) {
		s.t.Fatalf("%s: %+v, %+v", op.Name(), r, p.Refusals)
	}
	return p, r
}

func (s *realScene) plan(op Op, topics ...string) Plan {
	s.t.Helper()
	snapshot := s.gather(topics...)
	if err := s.findPhantoms(&snapshot); err != nil {
		s.t.Fatal(err)
	}
	p, err := NewPlan(snapshot, op)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *realScene) gather(topics ...string) inspect.Snapshot {
	s.t.Helper()
	chosen, err := inspect.ParseTopics(topics)
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	snapshot, err := inspect.Gather(s.t.Context(), store, inspect.Query{Groups: []string{s.group}, Topics: chosen, SkipAges: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return snapshot
}

func (s *realScene) findPhantoms(snapshot *inspect.Snapshot) error {
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		return err
	}
	defer store.Close()
	return inspect.FindPhantoms(s.t.Context(), store, snapshot)
}

// outstanding is the offsets that the log holds and that are not done, as
// gapctl reads them, by partition.
func (s *realScene) outstanding() map[kafkatest.TopicPartition][]int64 {
	s.t.Helper()
	want := map[kafkatest.TopicPartition][]int64{}
	for _, p := range s.gather().Groups[0].Partitions {
		for offset := p.LogStart; offset < p.LogEnd; offset++ {
			if !p.State.Completed(offset) {
				at := kafkatest.TopicPartition{Topic: p.Topic, Partition: p.Partition}
				want[at] = append(want[at], offset)
			}
		}
	}
	return want
}

func ranges(t testing.TB, text string) codec.Ranges {
	t.Helper()
	rs, err := codec.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// The real Parallel Consumer leaves gaps; after a repair of each kind, one to a
// partition, it processes exactly what the plans left outstanding.
func TestParallelConsumerAfterRepairs(t *testing.T) {
	b := kafkatest.Shared(t)
	const topic = "repaired"
	b.CreateTopic(topic, 6, nil)
	b.Fill(topic, 6, 100)
	b.RunPC(kafkatest.PCOptions{Group: "repaired", Topics: []string{topic}, Fail: kafkatest.EveryPlus(9, 4)})
	s := kafkaScene(t, b, "repaired")
	before := s.outstanding()
	if at := (kafkatest.TopicPartition{Topic: topic}); !slices.Equal(before[at], []int64{4, 13, 22, 31, 40, 49, 58, 67, 76, 85, 94}) {
		t.Fatalf("Parallel Consumer left %v", before[at])
	}
	want := func(partition int32, offsets ...int64) {
		before[kafkatest.TopicPartition{Topic: topic, Partition: partition}] = offsets
	}

	s.repair(Reset{Done: []Target{{topic, 0, ranges(t, "4,13-20,40")}}}, topic+"/0")
	want(0, 22, 31, 49, 58, 67, 76, 85, 94)
	s.repair(Reset{Outstanding: []Target{{topic, 1, ranges(t, "2,50-52,97")}}}, topic+"/1")
	want(1, 2, 4, 13, 22, 31, 40, 49, 50, 51, 52, 58, 67, 76, 85, 94, 97)
	s.repair(Reset{To: ToOffset, Offset: 60}, topic+"/2")
	want(2, 67, 76, 85, 94)
	s.repair(Reset{To: ToOffset, Offset: 1, KeepDone: true}, topic+"/3")
	want(3, 1, 2, 3, 4, 13, 22, 31, 40, 49, 58, 67, 76, 85, 94)
	deleted := kadm.Offsets{}
	deleted.Add(kadm.Offset{Topic: topic, Partition: 4, At: 45})
	if _, err := kadm.NewClient(b.Client()).DeleteRecords(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	p, _ := s.repair(Compact{}, topic+"/4")
	if c := p.Changes[0]; c.Skips != 0 || c.Reprocesses != 0 || c.After.State.Stable != 49 {
		t.Errorf("compact: %+v", c)
	}
	want(4, 49, 58, 67, 76, 85, 94)
	wiped, r := s.repair(Reset{To: ToEarliest}, topic+"/5")
	s.repair(Undo{ID: r.ID, Done: wiped}, topic+"/5")

	if got := s.outstanding(); !reflect.DeepEqual(got, before) {
		t.Fatalf("the repairs left %v, want %v", got, before)
	}
	if got := b.RunPC(kafkatest.PCOptions{Group: "repaired", Topics: []string{topic}}); !reflect.DeepEqual(got.Processed, before) {
		t.Errorf("Parallel Consumer processed %v, want %v", got.Processed, before)
	}
}

// An active consumer is left alone: the repair is refused, and what the
// consumer has committed stays.
func TestActiveConsumerIsLeftAlone(t *testing.T) {
	b := kafkatest.Shared(t)
	b.CreateTopic("active", 1, nil)
	b.Fill("active", 1, 100)
	for _, protocol := range []string{"classic", "consumer"} {
		t.Run(protocol, func(t *testing.T) {
			group := "active-" + protocol
			c := b.StartClassic(kafkatest.ClassicOptions{Group: group, Topics: []string{"active"}, Protocol: protocol, CommitEvery: 10, Metadata: "mine"})
			c.Await("the last commit", func(e kafkatest.ClassicEvent) bool { return e.Event == "committed" && e.Offset == 100 })
			s := kafkaScene(t, b, group)
			stood := s.gather().Groups[0].Partitions[0]
			p := s.plan(Reset{To: ToEarliest, ClearMetadata: true})
			r := s.applier(s.dial).Apply(t.Context(), p, Approve(p, "me@here", "test"))
			if !errors.Is(r.Err, ErrRefused) || r.Count(Refused) != 1 {
				t.Errorf("%+v", r)
			}
			if now := s.gather().Groups[0].Partitions[0]; now.Raw != "mine" || now.Committed != stood.Committed {
				t.Errorf("committed is %d %q", now.Committed, now.Raw)
			}
			for _, e := range c.Stop() {
				if e.Event == "revoked" && e.Offset == 0 && len(e.Partitions) > 0 && e.Error != "" || e.Event == "lost" || e.Event == "died" || e.Event == "commit-failed" {
					t.Errorf("the consumer noticed: %+v", e)
				}
			}
		})
	}
}

// More commits than one batch of the coordinator holds are written in several,
// and every one is right.
func TestMoreThanOneBatch(t *testing.T) {
	b := kafkatest.Shared(t)
	const partitions = 260
	b.CreateTopic("wide", partitions, nil)
	b.Fill("wide", partitions, 10)
	s := kafkaScene(t, b, "wide")
	full := fullState()
	admin := kadm.NewClient(b.Client())
	for part := range slices.Chunk(numbers(partitions), 130) {
		offsets := kadm.Offsets{}
		for _, n := range part {
			offsets.Add(kadm.Offset{Topic: "wide", Partition: n, At: full.Offset, LeaderEpoch: -1, Metadata: full.Metadata})
		}
		if err := admin.CommitAllOffsets(t.Context(), "wide", offsets); err != nil {
			t.Fatal(err)
		}
	}
	var targets []Target
	for _, n := range numbers(partitions) {
		targets = append(targets, Target{"wide", n, ranges(t, "0")})
	}
	p := s.plan(Reset{Done: targets})
	if p.Atomic() || len(p.Changes) != partitions || len(p.Changes[0].After.Metadata) < 4000 {
		t.Fatalf("%d changes, %d characters, %v", len(p.Changes), len(p.Changes[0].After.Metadata), p.Refusals)
	}
	began := time.Now()
	s.repair(Reset{Done: targets})
	t.Logf("%d partitions with %d characters each: %v", partitions, len(full.Metadata), time.Since(began))
	journal, err := os.ReadFile(s.journalFile())
	if err != nil || strings.Count(string(journal), `"kind":"`+writtenKind) < 2 {
		t.Errorf("one commit only (%v)", err)
	}
	for i, part := range s.gather().Groups[0].Partitions {
		if now := commitOf(&part); !now.same(p.Changes[i].After) {
			t.Fatalf("%s: %+v", part.Key, now)
		}
	}
}

func numbers(n int32) []int32 {
	var all []int32
	for i := range n {
		all = append(all, i)
	}
	return all
}

// fullState is a commit of gaps that take nearly all of 4,096 characters, the
// first of them at 0.
func fullState() Commit {
	random := rand.New(rand.NewPCG(1, 2))
	full := Commit{}
	gaps := []codec.Range{{Start: 0, End: 1}}
	for offset := int64(2); ; offset++ {
		if random.IntN(2) == 0 {
			gaps = append(gaps, codec.Range{Start: offset, End: offset + 1})
		}
		if offset%100 != 0 {
			continue
		}
		out, err := codec.Encode(codec.State{Max: offset + 2, Gaps: codec.NewRanges(gaps...)}, parallelConsumer, "")
		if err != nil || out.Size > 4092 {
			return full
		}
		full = newCommit(out.Committed, -1, out.Metadata)
	}
}
