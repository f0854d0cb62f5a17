package gapstore

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// compactingBroker compacts what it can at once.
func compactingBroker(t testing.TB) *kafkatest.Broker {
	b := kafkatest.Start(t, kafkatest.Property("log.cleaner.backoff.ms", "50"), kafkatest.Property("log.cleaner.min.compaction.lag.ms", "0"))
	b.CreateTopic(codec.NativeTopic, 3, map[string]string{"cleanup.policy": "compact", "segment.ms": "300",
		"min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "0"})
	return b
}

func TestKafkaConsumer(t *testing.T) {
	t.Parallel()
	b := compactingBroker(t)
	for name, test := range map[string]func(*testing.T, *kafkatest.Broker){
		"killed": killedAtRandom, "together": membersKilledAtRandom, "together-java": javaSeesTheUnion,
		"compacted": sameAfterCompaction, "java": javaSeesTheStableOffset, "kip-848": resumesInKIP848,
		"fenced": func(t *testing.T, b *kafkatest.Broker) { fencedByGeneration(t, realWork(t, b, "fenced", 1, 20)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

func realWork(t testing.TB, b *kafkatest.Broker, name string, partitions int32, n int) *work {
	t.Helper()
	b.CreateTopic(name, partitions, nil)
	w := &work{t: t, addrs: []string{b.Addr()}, group: name, topic: name, dial: dialTo(b.Addr())}
	w.fill(partitions, n)
	return w
}

// logRecords counts the records of a group that the topic still holds.
func logRecords(t *testing.T, w *work) (n int) {
	t.Helper()
	s := openStore(t, w.addrs...)
	defer s.Close()
	topics, err := s.Topics(t.Context(), []string{codec.NativeTopic})
	if err != nil {
		t.Fatal(err)
	}
	topic := topics[codec.NativeTopic]
	p := codec.NativePartition(w.group, int32(len(topic.Logs)))
	s.Ends(t.Context(), topics, map[string][]int32{codec.NativeTopic: {p}})
	at := Position{Topic: codec.NativeTopic, ID: topic.ID, Partition: p, Offset: topic.Logs[p].Start}
	for r, err := range s.readThrough(t.Context(), topic.Logs[p].Leader, &at, topic.Logs[p].LastStable, committedOnly) {
		if err != nil {
			t.Fatal(err)
		}
		if owner, _ := codec.NativeOwner(r.Key); string(owner) == w.group {
			n++
		}
	}
	return n
}

// Log compaction leaves the latest records, and with them the same state.
func sameAfterCompaction(t *testing.T, b *kafkatest.Broker) {
	w := realWork(t, b, "compaction", 1, 1)
	c := w.join(w.options())
	w.poll(c, 1)
	done := func(from, to int64) {
		for at := from; at < to; at += 2 {
			c.Done(&kgo.Record{Topic: w.topic, Offset: at})
		}
		if err := c.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(40) {
		done(i*10_000+1, i*10_000+5_000) // each changes the chunk of the one before
	}
	for at := range int64(200_000) { // whose chunks go
		c.Done(&kgo.Record{Topic: w.topic, Offset: at})
	}
	done(400_000, 400_100)
	want := w.entries()[0].State
	before := logRecords(t, w)
	at := int64(400_200)
	await(t, "compaction", func() bool {
		done(at, at+1) // rolls the segment in time
		at += 2
		return logRecords(t, w) < before
	})
	for at := want.Max; at < 1_000_000; at += 65_536 {
		done(at+1, at+2)
	}
	want = c.parts[place{w.topic, 0}].set.State()
	compacted := logRecords(t, w)
	if got := w.entries()[0].State; !got.Equal(want) || got.Gaps.Empty() {
		t.Errorf("after compaction from %d to %d records: [%d,%d) with %d gaps, want [%d,%d) with %d", before, compacted,
			got.Stable, got.Max, got.Gaps.Len(), want.Stable, want.Max, want.Gaps.Len())
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A plain Java consumer begins at the stable offset.
func javaSeesTheStableOffset(t *testing.T, b *kafkatest.Broker) {
	w := realWork(t, b, "java", 1, 50)
	c := w.join(w.options())
	records := w.poll(c, 50)
	c.Done(records[:7]...)
	c.Done(records[20], records[40])
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := w.entries()[0]; e.Committed != 7 || e.State.Gaps.String() != "7-19,21-39" {
		t.Fatalf("committed %d, gaps %s", e.Committed, e.State.Gaps)
	}
	java := b.StartClassic(kafkatest.ClassicOptions{Group: w.group, Topics: []string{w.topic}})
	if e := java.AwaitEvent("starts"); e.Offset != 7 {
		t.Errorf("Java begins at %d, want the stable offset, 7", e.Offset)
	}
	java.Stop()
}

// A plain Java consumer begins at the stable offset of members that shared.
func javaSeesTheUnion(t *testing.T, b *kafkatest.Broker) {
	w := newCrew(realWork(t, b, "java-together", 1, 0), ByKey)
	w.fillKeys(1, 60, 12)
	var mates []*mate
	for i := range 3 {
		mates = append(mates, w.hire(fmt.Sprint("mate-", i), func(r *kgo.Record) bool { return r.Offset != 41 && r.Offset != 50 }))
	}
	await(t, "all records to come", func() bool { return w.delivered() == 60 })
	w.disband(mates...)
	java := b.StartClassic(kafkatest.ClassicOptions{Group: w.group, Topics: []string{w.topic}})
	if e := java.AwaitEvent("starts"); e.Offset != 41 {
		t.Errorf("Java begins at %d, want the stable offset, 41", e.Offset)
	}
	java.Stop()
}

// A member of an old generation, or one that is none, can not write.
func fencedByGeneration(t *testing.T, w *work) {
	t.Helper()
	c := w.join(w.options())
	records := w.poll(c, 20)
	c.Done(records[3])
	if err := c.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Done(records[0], records[7])
	member := c.membership(c.client)
	c.turn <- struct{}{}
	for _, fenced := range []membership{
		{group: member.group, id: member.id, generation: member.generation - 1},
		{group: member.group, id: "somebody", generation: member.generation},
	} {
		err := c.commitAs(t.Context(), fenced, []*tracked{c.parts[place{w.topic, 0}]})
		if !isGone(err) {
			t.Errorf("as %+v: %v", fenced, err)
		}
		if e := w.entries()[0]; e.State.Gaps.String() != "0-2" {
			t.Errorf("as %+v: gaps %s", fenced, e.State.Gaps)
		}
	}
	<-c.turn
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if e := w.entries()[0]; e.State.Gaps.String() != "1-2,4-6" {
		t.Errorf("after the commit as oneself: gaps %s", e.State.Gaps)
	}
}

func TestConsumerFencedByGeneration(t *testing.T) {
	w, _ := newWork(t, 1, 20)
	fencedByGeneration(t, w)
}

func resumesInKIP848(t *testing.T, b *kafkatest.Broker) {
	b.NeedVersion(4, 0)
	w := realWork(t, b, "kip-848", 2, 30)
	o := ConsumerOptions{Group: w.group, Topics: []string{w.topic}, Client: []kgo.Opt{kgo.ServerSideBalancer()}}
	c := w.join(o)
	for _, r := range w.poll(c, 60) {
		if r.Offset%3 == 0 {
			c.Done(r)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.join(o)
	for _, r := range w.poll(c, 40) {
		if r.Offset%3 == 0 {
			t.Errorf("%d of partition %d is delivered again", r.Offset, r.Partition)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
