package repair

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// A commit without metadata means what the native topic says. Where that can
// not be seen, no plan rests on it, and none leaves such a commit behind.
func TestPlanWithoutSightOfNatives(t *testing.T) {
	gaps := Commit{Offset: 3, LeaderEpoch: 1, Metadata: encoded(t, "3-5,9", 20)}
	plain := Commit{Offset: 20, LeaderEpoch: 1}
	at := Target{Topic: "orders", Ranges: codec.NewRanges(codec.Range{Start: 4, End: 5})}
	cases := map[string]struct {
		stands  Commit
		op      Op
		refused bool
	}{
		"a plain commit is reset":             {plain, Reset{To: ToEarliest}, true},
		"a plain commit stays where it is":    {plain, Reset{To: ToCurrent}, true},
		"a plain commit is compacted":         {plain, Compact{}, true},
		"a plain commit is deleted":           {plain, Reset{To: ToNone}, true},
		"a commit loses its gaps":             {gaps, Reset{To: ToLatest}, true},
		"a commit becomes native":             {gaps, Convert{To: nativeFormat}, true},
		"a commit keeps some gaps":            {gaps, Reset{Done: []Target{at}}, false},
		"a commit goes to another format":     {gaps, Convert{To: "pyrallel"}, false},
		"nothing is asked of a plain commit":  {plain, Reset{To: ToTable}, false},
		"what is asked is of other partition": {plain, Reset{Done: []Target{{Topic: "payments", Ranges: at.Ranges}}}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := snapshot(partition(c.stands, 0, 30))
			s.Groups[0].Unseen = gapstore.ErrDenied
			p, err := NewPlan(s, c.op)
			if err != nil {
				t.Fatal(err)
			}
			refused := false
			for _, r := range p.Refusals {
				refused = refused || r.Topic == "orders" && strings.Contains(r.Message, "DESCRIBE on topic "+codec.NativeTopic)
			}
			if refused != c.refused || refused && !p.Empty() {
				t.Errorf("refusals %+v, changes %+v", p.Refusals, p.Changes)
			}
		})
	}
}

// encoded is the metadata of Parallel Consumer for gaps up to end.
func encoded(t *testing.T, gaps string, end int64) string {
	t.Helper()
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		t.Fatal(err)
	}
	out, err := codec.Encode(codec.State{Stable: ranges.First().Start, Max: end, Gaps: ranges}, "parallel-consumer", "")
	if err != nil {
		t.Fatal(err)
	}
	return out.Metadata
}

// blindToNatives has the broker deny every read of the native topic.
func (s *scene) blindToNatives() {
	s.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		id := s.cluster.TopicInfo(codec.NativeTopic).TopicID
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		for _, asked := range req.(*kmsg.FetchRequest).Topics {
			if asked.TopicID != id {
				return nil, nil, false
			}
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
}

// Whoever may not read the native topic writes nothing to it, nor an offset:
// also where the plan is somebody else's, and where the topic is empty or has
// just been made, so that there is nothing yet that could not be read.
func TestApplyWithoutSightOfNatives(t *testing.T) {
	s := fakeScene(t)
	convert := s.plan(Convert{To: nativeFormat})
	old := s.stands()
	s.blindToNatives()
	if r := s.apply(s.dial, convert); !errors.Is(r.Err, gapstore.ErrDenied) || r.Count(Applied)+r.Count(Unverified) > 0 || s.stands() != old {
		t.Fatalf("to an empty topic: %+v", r)
	}

	seeing := fakeScene(t)
	if r := seeing.apply(seeing.dial, seeing.plan(Convert{To: nativeFormat})); r.Err != nil {
		t.Fatal(r.Err)
	}
	skip, old := seeing.plan(skipBoth()), seeing.stands()
	seeing.blindToNatives()
	if r := seeing.apply(seeing.dial, skip); !errors.Is(r.Err, gapstore.ErrDenied) || r.Count(Applied)+r.Count(Unverified) > 0 || seeing.stands() != old {
		t.Fatalf("of native commits: %+v", r)
	}
	if blind := seeing.plan(Reset{To: ToLatest}); !blind.Empty() || len(blind.Refusals) != 2 {
		t.Fatalf("planned %+v, refused %+v", blind.Changes, blind.Refusals)
	}
}
