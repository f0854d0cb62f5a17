package inspect

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// commitNative writes gaps of partition 0 of a topic, without an offset.
func (s *scene) commitNative(group, topic, gaps string, max int64) {
	s.t.Helper()
	store, err := gapstore.Open(s.t.Context(), dialer(s.cluster.ListenAddrs()[0]))
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	home, err := store.Ensure(s.t.Context(), gapstore.NativeOptions{Partitions: 4})
	if err != nil {
		s.t.Fatal(err)
	}
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		s.t.Fatal(err)
	}
	before := gapstore.Entry{Key: gapstore.Key{Group: group, Topic: topic}, TopicID: s.cluster.TopicInfo(topic).TopicID}
	records, err := home.Records(before, codec.State{Stable: ranges.First().Start, Max: max, Gaps: ranges}, codec.NativeStamp{})
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := dialer(s.cluster.ListenAddrs()[0], kgo.RecordPartitioner(kgo.ManualPartitioner()))()
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(s.t.Context(), records...).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
}

// Native groups are gathered like all others, also when Kafka has forgotten
// the group.
func TestGatherNativeGroups(t *testing.T) {
	s := newScene(t)
	s.fill("orders", 0, 30)
	s.commitNative("billing", "orders", "3-5,9", 20)
	s.commit("billing", "orders", 0, 3, "")
	s.commitNative("forgotten", "orders", "7", 10)
	s.commit("plain", "orders", 0, 3, "")
	for name, q := range map[string]Query{
		"all": {All: true}, "with gaps": {All: true, GapsOnly: true}, "pattern": {Groups: []string{"*"}},
		"named": {Groups: []string{"billing", "forgotten"}}, "format": {All: true, Formats: []string{"native"}},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := s.gather(q)
			billing, forgotten := group(t, snapshot, "billing"), group(t, snapshot, "forgotten")
			if billing.Err != nil || billing.Outstanding() != 4 || billing.TrueLag() != 14 || billing.Formats()[0] != "native" {
				t.Errorf("billing: %+v", billing)
			}
			if forgotten.Err != nil || forgotten.Outstanding() != 1 || len(forgotten.Partitions[0].Findings) != 0 || forgotten.Level() != LevelOK {
				t.Errorf("forgotten: error %v, findings %s", forgotten.Err, kinds(&forgotten.Partitions[0]))
			}
			if len(snapshot.Notices) > 0 {
				t.Errorf("notices %q", snapshot.Notices)
			}
		})
	}
}
