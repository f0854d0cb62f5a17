package repair

import (
	"reflect"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// On a real broker, too: gaps that Parallel Consumer has left become native,
// are compacted there, come back by undo, and Parallel Consumer processes them
// after they are its own again.
func TestNativeRepairsOnKafka(t *testing.T) {
	b := kafkatest.Shared(t)
	const topic = "to-native"
	b.CreateTopic(topic, 2, nil)
	b.Fill(topic, 2, 100)
	b.RunPC(kafkatest.PCOptions{Group: topic, Topics: []string{topic}, Fail: kafkatest.EveryPlus(9, 4)})
	// A new broker has no coordinator of transactions until one is asked for, and
	// the scene's clients have little patience.
	if _, _, err := b.Client(kgo.TransactionalID(topic)).ProducerID(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := kafkaScene(t, b, topic)
	before := s.outstanding()
	s.repair(Convert{To: nativeFormat})
	if got := s.outstanding(); !reflect.DeepEqual(got, before) {
		t.Fatalf("native says %v, want %v", got, before)
	}
	native := s.gather().Groups[0].Partitions[0].NativeRecords()
	wiped, r := s.repair(Reset{To: ToLatest})
	s.repair(Undo{ID: r.ID, Done: wiped})
	if got := s.gather().Groups[0].Partitions[0].NativeRecords(); !sameRecords(got, native) {
		t.Fatalf("undo left %x, want %x", got, native)
	}
	deleted := kadm.Offsets{}
	deleted.Add(kadm.Offset{Topic: topic, Partition: 0, At: 45})
	if _, err := kadm.NewClient(b.Client()).DeleteRecords(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	s.repair(Compact{}, topic+"/0")
	at := kafkatest.TopicPartition{Topic: topic}
	before[at] = slices.DeleteFunc(before[at], func(offset int64) bool { return offset < 45 })
	s.repair(Convert{To: parallelConsumer})
	for _, p := range s.gather().Groups[0].Partitions {
		if len(p.Slots) > 0 || p.Format != parallelConsumer {
			t.Errorf("%s: %s, and %d slots are left", p.Key, p.Format, len(p.Slots))
		}
	}
	if got := b.RunPC(kafkatest.PCOptions{Group: topic, Topics: []string{topic}}); !reflect.DeepEqual(got.Processed, before) {
		t.Errorf("Parallel Consumer processed %v, want %v", got.Processed, before)
	}
}
