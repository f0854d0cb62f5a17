package repair

import (
	"errors"
	"hash/crc32"
	"hash/fnv"
	"reflect"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// Copies go where producers with that partitioner send their keys.
func TestRepartitionByPartitioner(t *testing.T) {
	const keys, partitions = 40, 7
	sarama := func(key []byte) int32 {
		h := fnv.New32a()
		_, _ = h.Write(key)
		p := int32(h.Sum32()) % partitions
		return max(p, -p)
	}
	for partitioner, want := range map[string]func(key []byte) int32{
		"":        func(key []byte) int32 { return int32(codec.Murmur2(key)&0x7fffffff) % partitions },
		"murmur2": func(key []byte) int32 { return int32(codec.Murmur2(key)&0x7fffffff) % partitions },
		"crc32":   func(key []byte) int32 { return int32(crc32.ChecksumIEEE(key) % partitions) },
		"fnv1a":   sarama,
	} {
		t.Run(partitioner, func(t *testing.T) {
			s := fakeScene(t)
			if _, err := kadm.NewClient(s.client()).CreateTopic(t.Context(), partitions, 1, nil, "wide"); err != nil {
				t.Fatal(err)
			}
			var records []*kgo.Record
			for i := range keys {
				records = append(records, &kgo.Record{Topic: sceneTopic, Key: strconv.AppendInt([]byte("key-"), int64(i), 10)})
			}
			if err := s.client(kgo.RecordPartitioner(kgo.ManualPartitioner())).ProduceSync(t.Context(), records...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			s.commit(0, "50-88", 90) // the last key is done
			r := s.applied(s.plan(Replay{ToTopic: "wide", Repartition: true, Partitioner: partitioner, Only: []Target{{sceneTopic, 0, ranges(t, "50-89")}}}))
			if r.Copied() != keys-1 {
				t.Errorf("copied %d", r.Copied())
			}
			cl := s.client(kgo.ConsumeTopics("wide"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
			for n := 0; n < keys-1; {
				cl.PollFetches(t.Context()).EachRecord(func(r *kgo.Record) {
					if n++; r.Partition != want(r.Key) {
						t.Errorf("%s is in %d, want %d", r.Key, r.Partition, want(r.Key))
					}
				})
			}
		})
	}
}

// letter is a record of a dead-letter topic.
func letter(headers map[string]string) *kgo.Record {
	r := &kgo.Record{Topic: "dead"}
	for key, value := range headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: key, Value: []byte(value)})
	}
	return r
}

func origin(group, topic, partition, offset string) map[string]string {
	return map[string]string{gapstore.CopiedGroup: group, gapstore.CopiedTopic: topic, gapstore.CopiedPartition: partition, gapstore.CopiedOffset: offset}
}

// deadLetters fills a dead-letter topic and reads it for the scene's group.
func (s *scene) deadLetters(letters ...*kgo.Record) ([]Target, error) {
	s.t.Helper()
	if _, err := kadm.NewClient(s.client()).CreateTopic(s.t.Context(), 1, 1, nil, "dead"); err != nil {
		s.t.Fatal(err)
	}
	if err := s.client().ProduceSync(s.t.Context(), letters...).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	return DeadLetters(s.t.Context(), store, "dead", sceneGroup)
}

// The originals of dead letters are those that their headers name, once each;
// what is missing, mad or another group's names nothing.
func TestDeadLetters(t *testing.T) {
	s := replayScene(t)
	noPartition, noOffset := origin(sceneGroup, sceneTopic, "0", "3"), origin(sceneGroup, sceneTopic, "0", "3")
	delete(noPartition, gapstore.CopiedPartition)
	delete(noOffset, gapstore.CopiedOffset)
	got, err := s.deadLetters(
		letter(origin(sceneGroup, sceneTopic, "0", "4")), letter(origin(sceneGroup, sceneTopic, "0", "4")),
		letter(origin(sceneGroup, sceneTopic, "1", "7")), letter(origin(sceneGroup, sceneTopic, "1", "8")), // 8 is done
		letter(origin("shipping", sceneTopic, "0", "5")), letter(nil), letter(noPartition), letter(noOffset),
		letter(origin(sceneGroup, sceneTopic, "-1", "3")), letter(origin(sceneGroup, sceneTopic, "4294967296", "3")),
		letter(origin(sceneGroup, sceneTopic, "0", "-3")), letter(origin(sceneGroup, sceneTopic, "0", "three")),
		letter(origin(sceneGroup, "elsewhere", "0", "3")),
		letter(map[string]string{gapstore.CopiedGroup: sceneGroup, gapstore.CopiedTopic: sceneTopic, gapstore.CopiedPartition: "\x00\x00\x00\x01", gapstore.CopiedOffset: "\x00\x00\x00\x00\x00\x00\x00\x0b"}), // 1@11
	)
	want := []Target{{"elsewhere", 0, ranges(t, "3")}, {sceneTopic, 0, ranges(t, "4")}, {sceneTopic, 1, ranges(t, "7-8,11")}}
	if err != nil || !sameTargets(got, want) {
		t.Fatalf("%v %v, want %v", got, err, want)
	}
	g := &inspect.Group{}
	for _, c := range s.plan(Replay{ToTopic: retryTopic}).Changes {
		g.Partitions = append(g.Partitions, partition(c.Before, 0, 50))
		g.Partitions[len(g.Partitions)-1].Partition = c.Partition
	}
	op := Replay{ToTopic: retryTopic, Explicit: true}
	op.Only = op.Within(g, got)
	s.applied(s.plan(op))
	if copied := s.copies(); !reflect.DeepEqual(copied, []string{"0@4", "1@7", "1@11"}) {
		t.Errorf("copied %v", copied)
	}
}

func sameTargets(a, b []Target) bool {
	for i := range a {
		if !a[i].at(b[i]) || !a[i].Ranges.Equal(b[i].Ranges) {
			return false
		}
	}
	return len(a) == len(b)
}

// A topic whose records name nothing is no dead-letter topic of the group.
func TestNoDeadLetters(t *testing.T) {
	if got, err := fakeScene(t).deadLetters(letter(nil), letter(origin("shipping", sceneTopic, "0", "3"))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v %v", got, err)
	}
}

// Originals that retention has removed are counted, and no matter of a replay.
func TestOriginalsThatAreGone(t *testing.T) {
	s := replayScene(t)
	deleted := kadm.Offsets{}
	deleted.Add(kadm.Offset{Topic: sceneTopic, Partition: 0, At: 5})
	if _, err := kadm.NewClient(s.client()).DeleteRecords(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	p := s.plan(Replay{ToTopic: retryTopic, Only: []Target{{sceneTopic, 0, ranges(t, "3-5")}}, Explicit: true})
	if len(p.Changes) != 1 || p.Changes[0].Copies != 1 {
		t.Errorf("planned %+v", p.Changes)
	}
	g := &inspect.Group{Partitions: []inspect.Partition{partition(newCommit(3, -1, ""), 5, 50)}}
	if n := Gone(g, []Target{{sceneTopic, 0, ranges(t, "3-5")}, {"elsewhere", 0, ranges(t, "1")}}); n != 2 {
		t.Errorf("%d are gone, want 2", n)
	}
}
