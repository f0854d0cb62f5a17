package gapstore

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	b := compactingBroker(t)
	t.Run("killed", func(t *testing.T) { killedAtRandom(t, b) })
	t.Run("compacted", func(t *testing.T) { sameAfterCompaction(t, b) })
	t.Run("java", func(t *testing.T) { javaSeesTheStableOffset(t, b) })
	t.Run("fenced", func(t *testing.T) { fencedByGeneration(t, realWork(t, b, "fenced", 1, 20)) })
	t.Run("kip-848", func(t *testing.T) { resumesInKIP848(t, b) })
}

func realWork(t testing.TB, b *kafkatest.Broker, name string, partitions int32, n int) *work {
	t.Helper()
	b.CreateTopic(name, partitions, nil)
	w := &work{t: t, addrs: []string{b.Addr()}, group: name, topic: name, dial: dialTo(b.Addr())}
	w.fill(partitions, n)
	return w
}

const (
	jobs       = 100_000
	partitions = 4
	kills      = 50
)

// The worker is killed at 50 random moments while it processes 100,000 records:
// each is processed, and none again whose commit was made.
func killedAtRandom(t *testing.T, b *kafkatest.Broker) {
	w := realWork(t, b, "jobs", partitions, jobs/partitions)
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := &journal{t: t, path: path, committed: map[job]int{}, processed: map[job]bool{}}
	for life := range kills + 1 {
		var out bytes.Buffer
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s", workerEnv, b.Addr(), w.group, w.topic, path))
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		enough := jobs // of all
		if life < kills {
			enough = len(j.processed) + rand.IntN(2*jobs/kills)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			j.read(life)
			if life < kills && len(j.processed) >= min(enough, jobs-1) || len(j.processed) == jobs && w.committed() == jobs {
				break
			}
			select {
			case err := <-ended:
				t.Fatalf("the worker ended by itself: %v\n%s", err, out.String())
			case <-time.After(time.Duration(rand.IntN(10)) * time.Millisecond):
			}
		}
		_ = cmd.Process.Kill()
		<-ended
	}
	j.read(kills)
	if len(j.processed) != jobs || j.again > 0 {
		t.Errorf("%d of %d records processed, %d again although they were committed", len(j.processed), jobs, j.again)
	}
	lives := map[int]bool{} // in which something was committed
	for _, life := range j.committed {
		lives[life] = true
	}
	if len(lives) < kills/2 {
		t.Errorf("only %d lives committed anything: the test proves little", len(lives))
	}
	t.Logf("%d lives committed, %d records were processed again because they were not committed yet", len(lives), j.repeated)
}

// committed is the number of records that are committed.
func (w *work) committed() (n int64) {
	w.t.Helper()
	for _, e := range w.entries() {
		n += e.State.Max - e.State.Outstanding()
	}
	return n
}

type job struct{ partition, offset int64 }

// journal is what all lives of the worker wrote.
type journal struct {
	t         *testing.T
	path      string
	at        int64
	rest      string
	processed map[job]bool
	committed map[job]int // in which life
	repeated  int
	again     int
}

// read reads on; it is the life-th life.
func (j *journal) read(life int) {
	j.t.Helper()
	f, err := os.Open(j.path)
	if err != nil {
		j.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, j.at, 1<<40))
	if err != nil {
		j.t.Fatal(err)
	}
	j.at += int64(len(data))
	lines := strings.Split(j.rest+string(data), "\n")
	j.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		var kind rune
		var at job
		if _, err := fmt.Sscanf(line, "%c %d %d", &kind, &at.partition, &at.offset); err != nil {
			j.t.Fatalf("line %q: %v", line, err)
		}
		_, committed := j.committed[at]
		switch {
		case kind == 'C':
			j.committed[at] = life
		case committed:
			j.again++
		case j.processed[at]:
			j.repeated++
		}
		if kind == 'P' {
			j.processed[at] = true
		}
	}
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
	if err := s.eachRecord(t.Context(), topic.Logs[p].Leader, &at, topic.Logs[p].LastStable, committedOnly, func(r *kgo.Record) {
		if owner, _ := codec.NativeOwner(r.Key); string(owner) == w.group {
			n++
		}
	}); err != nil {
		t.Fatal(err)
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
