package gapstore

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// On a real broker both ways of reading share state tell the same, and what the
// consumer did; and neither leaves a trace.
func TestKafkaShareState(t *testing.T) {
	t.Parallel()
	broker := kafkatest.Shared(t)
	const group, records = "share-state-readers", 60
	topics := []string{"share-state", "share-state-2"}
	var acks []kafkatest.ShareAck
	for _, topic := range topics { // of two at once, one's released records come until they are too many while the other has none yet
		broker.CreateTopic(topic, 1, nil)
		broker.Fill(topic, 1, records)
		acks = append(acks, broker.RunShare(kafkatest.ShareOptions{
			Group: group, Topics: []string{topic}, UntilCovered: true,
			Reject: kafkatest.EveryPlus(5, 2), Release: kafkatest.EveryPlus(7, 3),
		})...)
	}
	admin := kadm.NewClient(broker.Client())
	ends := func() map[int32]int64 {
		listed, err := admin.ListEndOffsets(t.Context(), shareTopic)
		if err != nil {
			t.Fatal(err)
		}
		ends := map[int32]int64{}
		listed.Each(func(o kadm.ListedOffset) { ends[o.Partition] = o.Offset })
		return ends
	}
	before := ends()
	for last := map[int32]int64{}; !maps.Equal(before, last); before = ends() { // the broker takes back what the consumer had
		last = before
		time.Sleep(time.Second)
	}
	s := openStore(t, broker.Addr())
	loaded, notices := s.Load(t.Context(), []Ref{{Group: group, Share: true}}, nil)
	if len(notices) > 0 || loaded[0].Err != nil || len(loaded[0].Entries) != 2 || loaded[0].DeliveryLimit != 5 {
		t.Fatalf("%+v, notices %q", loaded[0], notices)
	}
	wantAcknowledged(t, loaded[0].Entries, acks, records)

	var parts []*sharePart
	folded := slices.Clone(loaded[0].Entries)
	for i := range folded {
		e := &folded[i]
		parts = append(parts, &sharePart{entry: e, key: shareKey(e.Group, e.TopicID, e.Partition)})
	}
	if unread, err := s.foldShareStates(t.Context(), parts); err != nil || len(unread) > 0 {
		t.Fatalf("fold: %d unread, %v", len(unread), err)
	}
	for i := range folded {
		if f, r := folded[i], loaded[0].Entries[i]; f.Encoding != "snapshot" || r.Encoding != "read-state" || !f.State.Equal(r.State) {
			t.Errorf("%v: folded %+v\nread %+v", f.Key, f.State, r.State)
		}
	}
	if after := ends(); !maps.Equal(before, after) {
		t.Errorf("the state topic ended at %v before reading and at %v after it", before, after)
	}
	// The leader is not fenced: the released records come again.
	again := broker.RunShare(kafkatest.ShareOptions{Group: group, Topics: topics,
		Idle: 15 * time.Second, Limit: 3 * time.Minute}) // on a busy machine one topic comes long before the other
	var released int
	for _, did := range lastAcks(acks) {
		for _, how := range did {
			if how == "release" {
				released++
			}
		}
	}
	if len(again) != released || released == 0 {
		t.Errorf("%d records delivered after reading, want the %d released ones", len(again), released)
	}
}

// lastAcks is how each record was acknowledged last.
func lastAcks(acks []kafkatest.ShareAck) map[Key]map[int64]string {
	last := map[Key]map[int64]string{}
	for _, a := range acks {
		key := Key{Topic: a.Topic, Partition: a.Partition}
		if last[key] == nil {
			last[key] = map[int64]string{}
		}
		last[key][a.Offset] = a.Type
	}
	return last
}

// wantAcknowledged compares entries with acknowledgements, offset by offset.
func wantAcknowledged(t *testing.T, entries []Entry, acks []kafkatest.ShareAck, records int64) {
	t.Helper()
	last := lastAcks(acks)
	for i := range entries {
		e := &entries[i]
		rejected := codec.Rejected(e.State)
		did := last[Key{Topic: e.Topic, Partition: e.Partition}]
		for offset := range records {
			done := did[offset] == "accept" || did[offset] == "reject"
			if e.State.Completed(offset) != done {
				t.Errorf("%v: offset %d completed %t, but it was acknowledged as %q", e.Key, offset, !done, did[offset])
			}
			if offset >= e.Committed && rejected.Contains(offset) != (did[offset] == "reject") {
				t.Errorf("%v: offset %d rejected %t, but it was acknowledged as %q", e.Key, offset, rejected.Contains(offset), did[offset])
			}
		}
	}
}
