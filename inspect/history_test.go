package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// commitLog is a topic __consumer_offsets, which the embedded broker has not by
// itself.
type commitLog struct {
	*scene
	partition int32
}

func newCommitLog(t *testing.T, group string) *commitLog {
	s := newScene(t)
	if _, err := kadm.NewClient(s.client).CreateTopic(t.Context(), 5, 1, nil, TopicConsumerOffsets); err != nil {
		t.Fatal(err)
	}
	store, err := gapstore.Open(t.Context(), dialer(s.cluster.ListenAddrs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log, err := store.CommitLog(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	return &commitLog{s, log.Partition}
}

// record is one commit as the group coordinator writes it (OffsetCommitKey v1,
// OffsetCommitValue v3); gaps "" without metadata, "-" a tombstone.
func (l *commitLog) record(group, topic string, stable, max int64, gaps string) *kgo.Record {
	l.t.Helper()
	text := func(b []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
	}
	key := binary.BigEndian.AppendUint32(text(text([]byte{0, 1}, group), topic), 2)
	r := &kgo.Record{Topic: TopicConsumerOffsets, Partition: l.partition, Key: key}
	if gaps == "-" {
		return r
	}
	metadata := ""
	if gaps != "" {
		ranges, err := codec.ParseRanges(gaps)
		if err != nil {
			l.t.Fatal(err)
		}
		e, err := codec.Encode(codec.State{Stable: stable, Max: max, Gaps: ranges}, "parallel-consumer", "")
		if err != nil {
			l.t.Fatal(err)
		}
		metadata = e.Metadata
	}
	value := binary.BigEndian.AppendUint64([]byte{0, 3}, uint64(stable))
	value = text(binary.BigEndian.AppendUint32(value, 5), metadata)
	r.Value = binary.BigEndian.AppendUint64(value, uint64(checkedAt.Add(time.Duration(stable)*time.Second).UnixMilli()))
	return r
}

func (l *commitLog) write(client producer, records ...*kgo.Record) {
	l.t.Helper()
	if err := client.ProduceSync(l.t.Context(), records...).FirstErr(); err != nil {
		l.t.Fatal(err)
	}
}

func (l *commitLog) transaction(id string, records ...*kgo.Record) *gapstore.Producer {
	l.t.Helper()
	client, err := gapstore.NewProducer(dialer(l.cluster.ListenAddrs()[0]), kgo.TransactionalID(id))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(client.Close)
	if err := client.BeginTransaction(); err != nil {
		l.t.Fatal(err)
	}
	l.write(client, records...)
	return client
}

func (l *commitLog) end(client *gapstore.Producer, how kgo.TransactionEndTry) {
	l.t.Helper()
	if err := client.EndTransaction(l.t.Context(), how); err != nil {
		l.t.Fatal(err)
	}
}

func (l *commitLog) history(group string, q HistoryQuery) History {
	l.t.Helper()
	store, err := gapstore.Open(l.t.Context(), dialer(l.cluster.ListenAddrs()[0]))
	if err != nil {
		l.t.Fatal(err)
	}
	defer store.Close()
	h, err := ReadHistory(l.t.Context(), store, &Group{Name: group}, q)
	if err != nil {
		l.t.Fatal(err)
	}
	return h
}

// summary is a line for each commit: stable/max, and what changed.
func summary(h History) string {
	var lines []string
	for _, c := range h.Commits {
		line := fmt.Sprintf("%s %d/%d", c.Topic, c.Stable, c.Max)
		switch {
		case c.Deleted:
			line = c.Topic + " deleted"
		case c.Err != nil:
			line = c.Topic + " " + ErrorClass(c.Err)
		case c.Compared:
			line += fmt.Sprintf(" -%s +%s !%s", c.Closed.Ranges, c.Opened.Ranges, c.Undone.Ranges)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestHistory(t *testing.T) {
	const group = "billing"
	l := newCommitLog(t, group)
	l.write(l.client, l.record(group, "orders", 10, 20, "10-11,15"), l.record("other", "orders", 1, 2, "1"))
	aborted := l.transaction("aborted", l.record(group, "orders", 90, 99, "90"))
	committed := l.transaction("committed", l.record(group, "orders", 15, 30, "15,22"))
	l.end(aborted, kgo.TryAbort)
	open := l.transaction("open", l.record(group, "orders", 80, 88, "80"))
	l.end(committed, kgo.TryCommit) // beyond the last stable offset
	later := l.transaction("later", l.record(group, "orders", 22, 32, "22"))
	l.end(later, kgo.TryCommit)
	l.write(l.client, l.record(group, "orders", 22, 22, ""), l.record(group, "payments", 3, 3, ""), l.record(group, "orders", 0, 0, "-"), l.record(group, "orders", 40, 42, "40"))
	bad := l.record(group, "orders", 41, 41, "")
	bad.Value = bad.Value[:9]
	l.write(l.client, bad)
	h := l.history(group, HistoryQuery{Limit: 100, Topics: Topics{{Topic: "orders"}}})
	want := `orders 10/20
orders 15/30 -10-11 +22 !
orders 22/32 -15 + !
orders 22/22 - + !23-31
orders 40/42
orders deleted
orders corrupt`
	if got := summary(h); got != want {
		t.Errorf("the history is\n%s\nwant\n%s", got, want)
	}
	l.end(open, kgo.TryAbort)
	h = l.history(group, HistoryQuery{Limit: 2})
	if len(h.Commits) != 2 || h.Earlier != 6 {
		t.Errorf("%d commits, %d earlier; want 2 of 8:\n%s", len(h.Commits), h.Earlier, summary(h))
	}
	if h = l.history("other", HistoryQuery{Limit: 9}); len(h.Logs) != 1 {
		t.Errorf("logs %v", h.Logs)
	}
}

// A topic that may not be read, or is not there, is an error that says which.
func TestHistoryUnreadable(t *testing.T) {
	s := newScene(t)
	store, err := gapstore.Open(t.Context(), dialer(s.cluster.ListenAddrs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, g := range []Group{{Name: "billing"}, {Name: "share", Type: "share", Partitions: []Partition{healthy()}}} {
		_, err := ReadHistory(t.Context(), store, &g, HistoryQuery{Limit: 1})
		var failure *gapstore.Error
		if !errors.As(err, &failure) || !errors.Is(err, gapstore.ErrNotFound) || !strings.Contains(failure.Hint, "READ and DESCRIBE on topic __") {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}

// However many commits there are, memory is that of the newest.
func TestNewestCommits(t *testing.T) {
	n := newestCommits{limit: 3}
	for i := range int64(1000) {
		n.add(Commit{Offset: i})
		if len(n.commits) > 6 {
			t.Fatalf("%d are kept", len(n.commits))
		}
	}
	kept := n.kept()
	if len(kept) != 3 || kept[0].Offset != 997 || kept[2].Offset != 999 || n.dropped != 997 {
		t.Errorf("%+v, %d dropped", kept, n.dropped)
	}
}

// A change of a million ranges is counted in full, and kept in part.
func TestMovedIsBounded(t *testing.T) {
	var many []codec.Range
	for i := range int64(5000) {
		many = append(many, codec.Range{Start: 3 * i, End: 3*i + 2})
	}
	if m := newMoved(codec.NewRanges(many...)); m.Count != 10_000 || m.Ranges.Len() != movedRanges || m.Ranges.Bounds().Start != 0 {
		t.Errorf("%d offsets, %d ranges", m.Count, m.Ranges.Len())
	}
}
