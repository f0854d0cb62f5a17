package repair

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

const retryTopic = "retry"

// replayScene is a scene with a topic for copies.
func replayScene(t testing.TB) *scene {
	t.Helper()
	s := fakeScene(t)
	if _, err := kadm.NewClient(s.client()).CreateTopic(t.Context(), 2, 1, nil, retryTopic); err != nil {
		t.Fatal(err)
	}
	return s
}

// copies are the records of the retry topic for read-committed readers, as
// "partition@offset" of the originals, in order.
func (s *scene) copies() []string {
	s.t.Helper()
	ends, err := kadm.NewClient(s.client()).ListCommittedOffsets(s.t.Context(), retryTopic)
	if err != nil {
		s.t.Fatal(err)
	}
	var found []string
	for p := range int32(2) {
		end, _ := ends.Lookup(retryTopic, p)
		if end.Offset == 0 {
			continue
		}
		cl := s.client(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
			kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{retryTopic: {p: kgo.NewOffset().At(0)}}))
		for next := int64(0); next < end.Offset; {
			fetches := cl.PollFetches(s.t.Context())
			if err := fetches.Err(); err != nil {
				s.t.Fatal(err)
			}
			fetches.EachRecord(func(r *kgo.Record) {
				if next = r.Offset + 1; !r.Attrs.IsControl() {
					_, at, ok := originOf(r)
					if !ok || at.Partition != p {
						s.t.Errorf("a copy in %d of %v", p, at)
					}
					found = append(found, fmt.Sprintf("%d@%v", at.Partition, at.Ranges))
				}
			})
		}
	}
	return found
}

// closed is what the scene's gaps are once all is replayed.
func (s *scene) closed() bool {
	now := s.stands()
	return newCommit(now[0].Offset, -1, now[0].Metadata).State.Equal(codec.Complete(20)) &&
		newCommit(now[1].Offset, -1, now[1].Metadata).State.Equal(codec.Complete(30))
}

var allCopies = []string{"0@3", "0@4", "0@5", "0@9", "1@7", "1@11", "1@12"}

func TestReplayCopiesAndCloses(t *testing.T) {
	s := replayScene(t)
	p := s.plan(Replay{ToTopic: retryTopic})
	if len(p.Changes) != 2 || p.Changes[0].Copies != 4 || p.Changes[1].Copies != 3 || p.Changes[0].Skips != 0 {
		t.Fatalf("planned %+v", p.Changes)
	}
	r := s.apply(s.dial, p)
	if r.Err != nil || r.Count(Applied) != 2 || r.Copied() != 7 || !s.closed() {
		t.Fatalf("%+v, stands %+v", r, s.stands())
	}
	if got := s.copies(); !reflect.DeepEqual(got, allCopies) {
		t.Errorf("copied %v", got)
	}
	if again := s.plan(Replay{ToTopic: retryTopic}); !again.Empty() {
		t.Errorf("again: %+v", again.Changes)
	}
}

func TestReplayOfSomeRecords(t *testing.T) {
	s := replayScene(t)
	only := []Target{{sceneTopic, 0, codec.NewRanges(codec.Range{Start: 4, End: 10})}, {sceneTopic, 1, codec.NewRanges(codec.Range{Start: 0, End: 8})}}
	if r := s.apply(s.dial, s.plan(Replay{ToTopic: retryTopic, Only: only, ByArrival: true, Rate: 1000})); r.Err != nil || r.Copied() != 4 {
		t.Fatalf("%+v", r)
	}
	if got := s.copies(); !reflect.DeepEqual(got, []string{"0@4", "0@5", "0@9", "1@7"}) {
		t.Errorf("copied %v", got)
	}
	if p := s.plan(Replay{ToTopic: retryTopic, Explicit: true}); !p.Empty() {
		t.Errorf("no record was chosen, but %+v", p.Changes)
	}
}

// What a command accepts is done, and what it does not stays outstanding.
func TestReplayToCommand(t *testing.T) {
	s := replayScene(t)
	var out bytes.Buffer
	a := s.applier(s.dial)
	a.Streams = Streams{Out: &out, Err: &out}
	p := s.plan(Replay{Exec: `echo "$GAPCTL_PARTITION@$GAPCTL_OFFSET"; test "$GAPCTL_OFFSET" != 4 && test "$GAPCTL_OFFSET" != 12`})
	r := a.Apply(t.Context(), p, Approve(p, "me@here", "test"))
	if !errors.Is(r.Outcomes[0].Err, ErrIncomplete) || r.Count(Failed) != 2 || r.Copied() != 5 {
		t.Fatalf("%+v", r)
	}
	if got := strings.Fields(out.String()); !reflect.DeepEqual(got, allCopies) {
		t.Errorf("the command got %v", got)
	}
	for i, want := range []string{"4", "12"} {
		if now := s.stands()[i]; newCommit(now.Offset, -1, now.Metadata).State.Gaps.String() != want {
			t.Errorf("partition %d: %+v, want %s outstanding", i, now, want)
		}
	}
}

// A replay whose requests are lost, one in each run, ends with each record
// copied once once it has come through.
func TestReplayOverABadNetwork(t *testing.T) {
	steps := []step{{kmsg.Produce, 1}, {kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}, {kmsg.Fetch, 1}, {kmsg.InitProducerID, 1}, {kmsg.JoinGroup, 1}}
	for _, at := range steps {
		for _, how := range []fault{lostRequest, lostAnswer, noRetry} {
			t.Run(fmt.Sprintf("%s-%d/%s", at.key.Name(), at.nth, how), func(t *testing.T) {
				t.Parallel()
				s := replayScene(t)
				w := &wire{at: at, fault: how}
				first := s.apply(w.dial(s), s.plan(Replay{ToTopic: retryTopic}))
				if copied := s.copies(); s.closed() != (len(copied) == len(allCopies)) || len(copied)%len(allCopies) != 0 {
					t.Fatalf("closed: %t, copied %v, %+v", s.closed(), copied, first)
				}
				if first.Count(Applied) == 2 != s.closed() && first.Count(Unverified) == 0 {
					t.Fatalf("%+v, but closed: %t", first, s.closed())
				}
				if members(t, s) > 0 {
					return // until its session ends
				}
				if p := s.plan(Replay{ToTopic: retryTopic}); !p.Empty() {
					if r := s.apply(s.dial, p); r.Err != nil {
						t.Fatalf("the second time: %+v", r)
					}
				}
				if got := s.copies(); !reflect.DeepEqual(got, allCopies) || !s.closed() {
					t.Errorf("closed: %t, copied %v", s.closed(), got)
				}
			})
		}
	}
}

func TestCancelledReplay(t *testing.T) {
	s := replayScene(t)
	r := s.stopped(s.plan(Replay{ToTopic: retryTopic, Rate: 5}))
	if r.Err == nil || r.Count(Applied) == 2 || r.Copied() == 0 || int(r.Copied()) != len(s.copies()) {
		t.Fatalf("%+v, copied %v", r, s.copies())
	}
	if rest := s.plan(Replay{ToTopic: retryTopic}); rest.Changes == nil || s.apply(s.dial, rest).Err != nil || !s.closed() {
		t.Errorf("the rest: %+v", rest)
	}
	if got := s.copies(); !reflect.DeepEqual(got, allCopies) {
		t.Errorf("copied %v", got)
	}
}

func TestReplaysSurviveJSON(t *testing.T) {
	only := []Target{{"orders", 2, codec.NewRanges(codec.Range{Start: 3, End: 6})}}
	for _, op := range []Op{
		Replay{ToTopic: "retry", Repartition: true, ByArrival: true, Rate: 9, Only: only, Explicit: true}, Replay{Exec: "true"},
		ShareReplay{Replay{ToTopic: "retry", Rejected: true}}, ShareSkip{Only: only}, ShareReset{Reset{To: ToEarliest}},
	} {
		data, err := marshalOp(op)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unmarshalOp(data); err != nil || !reflect.DeepEqual(got, op) {
			t.Errorf("%s: %+v %v", data, got, err)
		}
	}
}

// Headers of an earlier replay give way to those of this one.
func TestCopyCountsReplays(t *testing.T) {
	r := &kgo.Record{Topic: "orders", Partition: 1, Offset: 5, Headers: []kgo.RecordHeader{{Key: "mine", Value: []byte("x")}}}
	for want := int64(1); want < 4; want++ {
		original := *r
		made, err := newCopies(t.Context(), nil, Replay{ToTopic: "retry"})
		if err != nil {
			t.Fatal(err)
		}
		c := made.of(recordOf(&original))
		if replays(c) != want || len(c.Headers) != 8 || c.Headers[0].Key != "mine" {
			t.Fatalf("%d: %+v", want, c.Headers)
		}
		group, at, ok := originOf(c)
		if !ok || group != "billing" || at.Topic != r.Topic || at.Partition != 1 || at.Ranges.First().Start != r.Offset {
			t.Errorf("origin %s %+v", group, at)
		}
		r = c
	}
}
