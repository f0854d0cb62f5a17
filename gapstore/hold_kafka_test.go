package gapstore

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// realScene is a scene on the shared broker, under names of its own, with 30
// records in each partition.
func realScene(t testing.TB, name string, records int) (*scene, *kafkatest.Broker) {
	t.Helper()
	b := kafkatest.Shared(t)
	name = strings.ReplaceAll(strings.ToLower(name), " ", "-")
	s := &scene{t: t, addrs: []string{b.Addr()}, group: name, topic: name + "-in", out: name + "-out", records: records, timing: usualTiming(), dying: hasty()}
	s.timing.look = time.Minute       // to tell who has come, on a busy machine
	s.dying.session = 6 * time.Second // a machine that starts JVMs may be silent for a second
	b.CreateTopic(s.topic, 2, nil)
	b.CreateTopic(s.out, 2, nil)
	b.Fill(s.topic, 2, 30)
	s.prepare()
	return s, b
}

func TestKafkaHoldCommits(t *testing.T) {
	t.Parallel()
	for name, records := range map[string]int{"plain": 0, "records": 5} {
		s, _ := realScene(t, "hold-"+name, records)
		w := s.wire()
		if err := s.repair(t.Context(), w.dial); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.mustSee(s.newState())
		t.Logf("%s: requests %v", name, w.requests())
	}
}

func TestKafkaHoldCommitsInSequence(t *testing.T) {
	t.Parallel()
	s, _ := realScene(t, "hold-sequence", 0)
	h := s.acquire(s.dial)
	for i := range int64(20) {
		c := Commit{Offsets: s.offsets(1+i, "step")}
		if i%4 != 0 {
			c.Records = []*kgo.Record{{Topic: s.out, Partition: -1, Key: []byte("k"), Value: fmt.Append(nil, i)}}
		}
		if err := h.Commit(t.Context(), c); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
		if err := h.Check(t.Context(), s.offsets(1+i, "step")); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.see(); len(got.Records) != 15 {
		t.Errorf("%d records, want 15", len(got.Records))
	}
}

// Once the hold has left, the coordinator itself refuses what it would write.
func TestKafkaRefusesAfterLeaving(t *testing.T) {
	t.Parallel()
	s, _ := realScene(t, "after-leaving", 2)
	for _, err := range s.commitsAfterLeaving() {
		if !errors.Is(err, kerr.UnknownMemberID) {
			t.Errorf("refused with %v", err)
		}
	}
}

func TestKafkaFencedByANewerWriter(t *testing.T) {
	t.Parallel()
	for _, at := range []step{{kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}} {
		s, _ := realScene(t, "fenced-"+at.key.Name(), 3)
		if err := s.fencedAt(at); !errors.Is(err, ErrFenced) {
			t.Errorf("%v: %v", at, err)
		}
	}
}

// Nobody sees the records or the offsets before the end, and nothing is there
// after an abort.
func TestKafkaTransactionIsWhole(t *testing.T) {
	t.Parallel()
	s, _ := realScene(t, "whole", 6)
	s.timing.parting = time.Minute // in which others look, on a busy machine
	w := s.wire()
	w.at, w.before = step{kmsg.EndTxn, 1}, func() {
		fetched, err := kadm.NewClient(s.client()).FetchOffsets(t.Context(), s.group)
		if o, _ := fetched.Lookup(s.topic, 0); err != nil || o.At != oldOffset {
			t.Errorf("offset %d before the end, %v", o.At, err)
		}
		if got := s.visible(t.Context()); len(got) != 0 {
			t.Errorf("records %v before the end", got)
		}
	}
	h := s.acquire(w.dial)
	refused := s.change()
	refused.Records = append(refused.Records, &kgo.Record{Topic: s.out, Partition: 7, Value: []byte("nowhere")})
	if err := h.Commit(t.Context(), refused); err == nil || errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("a record for a partition that is not there: %v", err)
	}
	s.mustSee(s.oldState())
	s.mustBeEnded()
	w.mu.Lock()
	w.at.nth = w.counts[kmsg.EndTxn] + 1
	w.mu.Unlock()
	if err := h.Commit(t.Context(), s.change()); err != nil {
		t.Fatal(err)
	}
	if got := s.see(); !reflect.DeepEqual(got, s.newState()) {
		t.Errorf("after: %+v", got)
	}
}

// An earlier hold was killed with its transaction open; the next one ends it.
func TestKafkaNextHoldEndsWhatWasLeft(t *testing.T) {
	t.Parallel()
	s, _ := realScene(t, "left-open", 3)
	patient := s.timing
	s.timing = s.dying
	w := s.wire()
	w.at, w.fault = step{kmsg.EndTxn, 1}, gone
	h := s.acquire(w.dial)
	if err := h.Commit(t.Context(), s.change()); err == nil {
		t.Fatal("committed without the last request")
	}
	began := time.Now()
	s.timing = patient
	s.finish()
	s.mustSee(s.newState())
	t.Logf("finished after %v (session %v, transaction timeout %v)", time.Since(began), s.dying.session, transactionTimeout)
}

// The estimate agrees with the broker: what it lets through the broker takes,
// and what it refuses is at most a whisker from what the broker refuses.
func TestKafkaLargestCommit(t *testing.T) {
	t.Parallel()
	s, b := realScene(t, "largest", 0)
	b.CreateTopic("wide", 260, nil)
	wide := make([]int32, 260)
	for p := range wide {
		wide[p] = int32(p)
	}
	h, err := Acquire(t.Context(), s.dial, s.group, map[string][]int32{"wide": wide})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release(t.Context())
	// filled is a commit of so many characters, 4,092 to a partition.
	filled := func(characters int) Commit {
		var c Commit
		for ; characters > 0; characters -= 4092 {
			c.Offsets = append(c.Offsets, OffsetCommit{Topic: "wide", Partition: int32(len(c.Offsets)), Offset: 1,
				LeaderEpoch: -1, Metadata: strings.Repeat("m", min(4092, characters))})
		}
		return c
	}
	first := sort.Search(260*4092, func(n int) bool { return h.limits.checkBatch(s.group, filled(n).Offsets) != nil })
	if err := h.Commit(t.Context(), filled(first-1)); err != nil {
		t.Errorf("%d characters passed the estimate: %v", first-1, err)
	}
	for _, characters := range []int{first, 260 * 4092} {
		if err := h.Commit(t.Context(), filled(characters)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d characters: %v", characters, err)
		}
	}
	h.limits.batch *= 2 // now the broker has the last word
	real := first + sort.Search(260*4092-first, func(n int) bool { return h.Commit(t.Context(), filled(first+n)) != nil })
	t.Logf("the estimate takes %d characters (%d partitions), the broker %d", first-1, len(filled(first-1).Offsets), real-1)
	if spare := real - first; spare > 30*len(filled(first).Offsets) {
		t.Errorf("the estimate is %d bytes too careful", spare)
	}
}
