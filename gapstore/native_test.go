package gapstore

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

func TestEnsureCreatesTheTopicOnce(t *testing.T) {
	c := fakeCluster(t)
	s := openStore(t, c.ListenAddrs()...)
	made, err := s.Ensure(t.Context(), NativeOptions{Partitions: 7})
	if err != nil || made.Partitions != 7 {
		t.Fatalf("%+v, %v", made, err)
	}
	if config := c.TopicInfo(codec.NativeTopic).Configs["cleanup.policy"]; config == nil || *config != "compact" {
		t.Errorf("cleanup.policy %v", config)
	}
	again, err := s.Ensure(t.Context(), NativeOptions{Partitions: 9})
	if err != nil || again != made {
		t.Errorf("the second time %+v, %v; want %+v", again, err, made)
	}
}

func TestEnsureRefusesAnUnfitTopic(t *testing.T) {
	for kind, configs := range map[string]map[string]string{
		"not-compacted":     {"cleanup.policy": "delete"},
		"deletes":           {"cleanup.policy": "compact,delete"},
		"max-message-bytes": {"cleanup.policy": "compact", "max.message.bytes": "20000"},
		"partition-count":   {"cleanup.policy": "compact"},
	} {
		t.Run(kind, func(t *testing.T) {
			c := fakeCluster(t)
			if err := c.CreateTopic(codec.NativeTopic, 3, configs); err != nil {
				t.Fatal(err)
			}
			n := &nativeScene{t: t, cluster: c, home: NativeHome{Partitions: 3, MaxMessage: nativeMessage}}
			if kind == "partition-count" {
				records := n.records("billing", [16]byte{1}, 0, "3,7")
				for _, r := range records {
					r.Partition = (r.Partition + 1) % 3
				}
				n.produce(records)
			}
			_, err := openStore(t, c.ListenAddrs()...).Ensure(t.Context(), NativeOptions{})
			unfit, ok := errors.AsType[*TopicError](err)
			if !ok || !errors.Is(err, ErrUnfit) || !slices.ContainsFunc(unfit.Problems, func(p TopicProblem) bool { return p.Kind == kind }) {
				t.Errorf("error %v", err)
			}
			after := c.TopicInfo(codec.NativeTopic).Configs
			for name, value := range configs {
				if after[name] == nil || *after[name] != value {
					t.Errorf("%s was altered", name)
				}
			}
		})
	}
}

func TestLoadNativeCommits(t *testing.T) {
	n := newNativeScene(t)
	n.produce(n.records("billing", n.ids["orders"], 0, "3-5,70000"))
	e := n.entry("billing")
	if e.Key != (Key{"billing", "orders", 0}) || e.Home != HomeNative || e.Format != "native" || e.Committed != NoOffset ||
		!e.HasState() || e.State.Gaps.String() != "3-5,70000" || e.State.Max != 200_000 || e.Size == 0 || e.SizeLimit != 0 {
		t.Errorf("without an offset: %+v", e)
	}
	addr := n.cluster.ListenAddrs()[0]
	commitTo(t, addr, "billing", "orders", 0, 3, "")
	if e := n.entry("billing"); e.Committed != 3 || e.State.Gaps.String() != "3-5,70000" {
		t.Errorf("with an offset: %+v", e)
	}
	n.produce(n.records("billing", n.ids["orders"], 4, "4,5,90000"))
	if e := n.entry("billing"); e.State.Gaps.String() != "4-5" || len(e.Slots) != 2 || e.State.Max != 200_000 {
		t.Errorf("with a second slot: %+v", e.State)
	}
	commitTo(t, addr, "billing", "orders", 0, 10, gapsOf(t, 10, 20, "10,13-15"))
	if e := n.entry("billing"); e.Home != HomeCommit || e.State.Gaps.String() != "10,13-15" || len(e.Slots) != 2 ||
		len(e.Anomalies) != 1 || e.Anomalies[0].Kind != leftover {
		t.Errorf("beside metadata: %+v", e)
	}
	groups, err := n.store.Natives(t.Context()).Groups()
	if err != nil || !slices.Equal(groups, []string{"billing"}) {
		t.Errorf("groups %v, %v", groups, err)
	}
}

// Transactions of other groups hide nothing, nor does an aborted one show.
func TestLoadNativeBesideTransactions(t *testing.T) {
	n := newNativeScene(t)
	other := "a"
	for codec.NativePartition(other, 2) != codec.NativePartition("billing", 2) {
		other += "a"
	}
	hanging := n.begin("other", n.records(other, n.ids["orders"], 0, "1"))
	aborted := n.begin("aborted", n.records("billing", n.ids["orders"], 0, "7"))
	n.end(aborted, kgo.TryAbort)
	made := n.begin("made", n.records("billing", n.ids["orders"], 0, "3-5"))
	n.end(made, kgo.TryCommit)
	if e := n.entry("billing"); e.State.Gaps.String() != "3-5" || e.Pending {
		t.Errorf("gaps %s, pending %v", e.State.Gaps, e.Pending)
	}
	open := n.begin("open", n.records("billing", n.ids["orders"], 0, "4"))
	if e := n.entry("billing"); e.State.Gaps.String() != "3-5" || !e.Pending {
		t.Errorf("with an open one: gaps %s, pending %v", e.State.Gaps, e.Pending)
	}
	n.end(open, kgo.TryCommit)
	n.end(hanging, kgo.TryAbort)
	if e := n.entry("billing"); e.State.Gaps.String() != "4" || e.Pending {
		t.Errorf("at the end: gaps %s, pending %v", e.State.Gaps, e.Pending)
	}
}

// The offset of a group's first commit may be told before its native records
// are: then it is not yet known what is outstanding.
func TestLoadNativeFirstCommitUnderWay(t *testing.T) {
	n := newNativeScene(t)
	open := n.begin("open", n.records("billing", n.ids["orders"], 0, "7-9"))
	commitTo(t, n.cluster.ListenAddrs()[0], "billing", "orders", 0, 7, "")
	if e := n.entry("billing"); e.Committed != 7 || !e.Pending {
		t.Errorf("committed %d, pending %v", e.Committed, e.Pending)
	}
	n.end(open, kgo.TryCommit)
	if e := n.entry("billing"); e.Home != HomeNative || e.State.Gaps.String() != "7-9" || e.Pending {
		t.Errorf("at the end: home %s, gaps %s, pending %v", e.Home, e.State.Gaps, e.Pending)
	}
}

// Nor does it look plain when it comes while the group is read: after its native
// records were, and before its offsets.
func TestLoadNativeFirstCommitWhileReading(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(2, "orders", "payments"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	n := nativeSceneOn(t, cluster)
	group := "billing" // one whose two brokers do not wait for each other
	for cluster.CoordinatorFor(group) == cluster.LeaderFor(codec.NativeTopic, codec.NativePartition(group, 2)) {
		group += "-b"
	}
	read, committed := make(chan struct{}), make(chan struct{})
	asked := 0
	cluster.ControlKey(kmsg.ListOffsets.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if asked++; asked == 3 { // where the log starts, and ends
			close(read)
		}
		return nil, nil, false
	})
	cluster.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.SleepControl(func() { <-committed })
		return nil, nil, false
	})
	loaded := make(chan []Loaded, 1)
	go func() {
		l, _ := n.store.Load(t.Context(), []Ref{{Group: group}}, nil)
		loaded <- l
	}()
	select {
	case <-read:
	case <-time.After(time.Minute):
		t.Error("the native topic was not read beside the offsets")
	}
	n.produce(n.records(group, n.ids["orders"], 0, "7-9"))
	commitTo(t, cluster.ListenAddrs()[0], group, "orders", 0, 7, "")
	close(committed)
	l := (<-loaded)[0]
	if l.Err != nil || len(l.Entries) != 1 {
		t.Fatalf("%d entries, error %v", len(l.Entries), l.Err)
	}
	if e := l.Entries[0]; e.Home != HomeNative || e.Committed != 7 || e.State.Gaps.String() != "7-9" {
		t.Errorf("home %s, committed %d, gaps %s", e.Home, e.Committed, e.State.Gaps)
	}
}

// Natives that were read before get what has been committed since.
func TestLoadWithEarlierNatives(t *testing.T) {
	n := newNativeScene(t)
	n.produce(n.records("billing", n.ids["orders"], 0, "3-5"))
	natives := n.store.Natives(t.Context())
	n.produce(n.records("billing", n.ids["orders"], 0, "4"))
	loaded, _ := n.store.LoadWith(t.Context(), natives, []Ref{{Group: "billing"}}, nil)
	if e := loaded[0].Entries; len(e) != 1 || e[0].State.Gaps.String() != "4" {
		t.Errorf("%+v", loaded[0])
	}
}

func TestLoadNativeInput(t *testing.T) {
	whole := func(n *nativeScene) []*kgo.Record { return n.records("billing", n.ids["orders"], 0, "3-5,70000") }
	for name, c := range map[string]struct {
		records func(n *nativeScene) []*kgo.Record
		class   error
		says    string // in the error or in a notice
	}{
		"a chunk is missing":  {func(n *nativeScene) []*kgo.Record { return whole(n)[1:] }, codec.ErrCorrupt, "chunks differ: the head counts 2, there are 1"},
		"the head is missing": {func(n *nativeScene) []*kgo.Record { return whole(n)[:1] }, codec.ErrCorrupt, "without a head"},
		"a newer version": {func(n *nativeScene) []*kgo.Record {
			records := whole(n)
			records[2].Value[0] = 9
			return records
		}, codec.ErrUnsupported, "newer"},
		"another program": {func(n *nativeScene) []*kgo.Record {
			stray := *whole(n)[0]
			stray.Key = []byte("hello")
			return append(whole(n), &stray)
		}, nil, "of another program"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNativeScene(t)
			n.produce(c.records(n))
			l, notices := n.load("billing")
			if len(l.Entries) != 1 || l.Err != nil {
				t.Fatalf("%d entries, error %v", len(l.Entries), l.Err)
			}
			e := l.Entries[0]
			if !errors.Is(e.Err, c.class) || e.HasState() != (c.class == nil) {
				t.Errorf("error %v, has state %v", e.Err, e.HasState())
			}
			told := strings.Join(notices, "\n")
			if e.Err != nil {
				told += e.Err.Error()
			}
			if !strings.Contains(told, c.says) {
				t.Errorf("told %q, want %q", told, c.says)
			}
		})
	}
}

// Records that lie in another partition than the group's are told.
func TestNativeGroupsInTheWrongPartition(t *testing.T) {
	n := newNativeScene(t)
	records := n.records("billing", n.ids["orders"], 0, "1")
	for _, r := range records {
		r.Partition = 1 - r.Partition
	}
	n.produce(records)
	groups, err := n.store.Natives(t.Context()).Groups()
	if !errors.Is(err, ErrUnfit) || !slices.Equal(groups, []string{"billing"}) {
		t.Errorf("groups %v, error %v", groups, err)
	}
}

// A topic that is gone has its ID for a name; one that was made anew under the
// same name does not get the old one's gaps.
func TestLoadNativeOfADeletedTopic(t *testing.T) {
	n := newNativeScene(t)
	n.produce(n.records("billing", n.ids["orders"], 0, "3-5"))
	admin := kadm.NewClient(n.client())
	if _, err := admin.DeleteTopics(t.Context(), "orders"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CreateTopic(t.Context(), 2, 1, nil, "orders"); err != nil {
		t.Fatal(err)
	}
	if e := n.entry("billing"); e.Topic == "orders" || e.TopicID != n.ids["orders"] || e.State.Gaps.String() != "3-5" {
		t.Errorf("entry %+v", e)
	}
}

// A consumer does not guess at gaps that it can not read, and reads the other
// partitions.
func TestConsumerRefusesAMissingChunk(t *testing.T) {
	w, c := newWork(t, 2, 10)
	n := &nativeScene{t: t, cluster: c, ids: map[string][16]byte{}, store: openStore(t, w.addrs...)}
	var err error
	if n.home, err = n.store.Ensure(t.Context(), NativeOptions{Partitions: 3}); err != nil {
		t.Fatal(err)
	}
	topics, err := n.store.Topics(t.Context(), []string{"orders"})
	if err != nil {
		t.Fatal(err)
	}
	n.produce(n.records("billing", topics["orders"].ID, 0, "3-5,70000")[1:])
	consumer := w.join(w.options())
	var got []*kgo.Record
	var refused error
	for len(got) < 10 || refused == nil {
		records, err := consumer.Poll(t.Context(), 0)
		got, refused = append(got, records...), errors.Join(refused, err)
	}
	if !errors.Is(refused, codec.ErrCorrupt) || slices.ContainsFunc(got, func(r *kgo.Record) bool { return r.Partition == 0 }) {
		t.Errorf("%d records, error %v", len(got), refused)
	}
	if err := consumer.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Gaps go through a hold, in one transaction with the offset, from any format
// and to none.
func TestHoldWritesNativeCommits(t *testing.T) {
	n := newNativeScene(t)
	addr := n.cluster.ListenAddrs()[0]
	commitTo(t, addr, "billing", "orders", 0, 10, gapsOf(t, 10, 20, "10,13-15"))
	n.produce(n.records("billing", n.ids["orders"], 2, "4,5,90000"))
	write := func(records func(before Entry, after codec.State) ([]*kgo.Record, error), after codec.State, metadata string) Entry {
		t.Helper()
		before := n.entry("billing")
		before.TopicID = n.ids["orders"] // commits are told by name
		rs, err := records(before, after)
		if err != nil {
			t.Fatal(err)
		}
		h, err := acquire(t.Context(), dialTo(addr), &member{group: "billing", parts: map[string][]int32{"orders": {0}}, timing: usualTiming()})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Commit(t.Context(), Commit{Offsets: []OffsetCommit{{Topic: "orders", Offset: after.Stable, LeaderEpoch: -1, Metadata: metadata}}, Records: rs}); err != nil {
			t.Fatal(err)
		}
		if err := h.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.entry("billing")
	}
	native := func(before Entry, after codec.State) ([]*kgo.Record, error) {
		return n.home.Records(before, after, codec.NativeStamp{LeaderEpoch: -1, Generation: -1})
	}
	ranges, err := codec.ParseRanges("10,13-15,70000-140000")
	if err != nil {
		t.Fatal(err)
	}
	after := codec.State{Stable: 10, Max: 150_000, Gaps: ranges}
	if e := write(native, after, ""); e.Home != HomeNative || !e.State.Equal(after) || len(e.Slots) != 1 || e.Committed != 10 {
		t.Errorf("to native: %+v", e)
	}
	after.Gaps = after.Gaps.Clip(codec.Range{Start: 0, End: 16})
	after.Max = 140_001
	if e := write(native, after, ""); !e.State.Equal(after) || len(e.Anomalies) != 0 {
		t.Errorf("native again: %+v", e)
	}
	gone := func(before Entry, _ codec.State) ([]*kgo.Record, error) { return n.home.Deletion(before) }
	after.Max = 20
	if e := write(gone, after, gapsOf(t, 10, 20, "10,13-15")); e.Home != HomeCommit || len(e.Slots) != 0 || len(e.Anomalies) != 0 {
		t.Errorf("and back: %+v", e)
	}
}
