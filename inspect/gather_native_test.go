package inspect

import (
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

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
			if billing.Err != nil || billing.Sums().Outstanding != 4 || billing.Sums().TrueLag != 14 || billing.Formats()[0] != "native" {
				t.Errorf("billing: %+v", billing)
			}
			if forgotten.Err != nil || forgotten.Sums().Outstanding != 1 || len(forgotten.Partitions[0].Findings) != 0 || forgotten.Level() != LevelOK {
				t.Errorf("forgotten: error %v, findings %s", forgotten.Err, kinds(&forgotten.Partitions[0]))
			}
			if len(snapshot.Notices) > 0 {
				t.Errorf("notices %q", snapshot.Notices)
			}
		})
	}
}

// Whoever asks for all groups reads the native topic from its start once.
func TestGatherReadsTheNativeTopicOnce(t *testing.T) {
	s := newScene(t)
	s.fill("orders", 0, 30)
	s.commitNative("billing", "orders", "3-5,9", 20)
	s.commit("billing", "orders", 0, 3, "")
	id := s.cluster.TopicInfo(codec.NativeTopic).TopicID
	var mu sync.Mutex
	starts := map[int32]int{}
	s.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		for _, topic := range req.(*kmsg.FetchRequest).Topics {
			for _, p := range topic.Partitions {
				if topic.TopicID == id && p.FetchOffset == 0 {
					starts[p.Partition]++
				}
			}
		}
		return nil, nil, false
	})
	if b := group(t, s.gather(Query{All: true}), "billing"); b.Sums().Outstanding != 4 {
		t.Errorf("billing: %+v", b)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(starts) != 1 {
		t.Fatalf("read from the start: %v, want the one partition that holds records", starts)
	}
	for p, n := range starts {
		if n != 1 {
			t.Errorf("partition %d was read %d times from its start", p, n)
		}
	}
}

// That the native topic may not be read is said once.
func TestGatherSaysOnceThatNativesAreDenied(t *testing.T) {
	s := newScene(t)
	s.fill("orders", 0, 30)
	s.commitNative("billing", "orders", "3-5,9", 20)
	s.commit("billing", "orders", 0, 3, "")
	s.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		for _, asked := range req.(*kmsg.FetchRequest).Topics {
			topic := kmsg.NewFetchResponseTopic()
			topic.Topic, topic.TopicID = asked.Topic, asked.TopicID
			for _, p := range asked.Partitions {
				denied := kmsg.NewFetchResponseTopicPartition()
				denied.Partition, denied.ErrorCode = p.Partition, kerr.TopicAuthorizationFailed.Code
				topic.Partitions = append(topic.Partitions, denied)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
	snapshot := s.gather(Query{All: true, SkipAges: true})
	if len(snapshot.Notices) != 1 || !strings.Contains(snapshot.Notices[0], "needs READ on topic "+codec.NativeTopic) {
		t.Errorf("notices %q", snapshot.Notices)
	}
}
