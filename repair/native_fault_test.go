package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// The requests of a native commit are lost, one at a time: what stands is all
// old or all new, in both homes, and the result says which.
func TestNativeNetworkFault(t *testing.T) {
	s := fakeScene(t)
	s.mustApply(Convert{To: nativeFormat})
	var clean wire
	if r := s.apply(clean.dial(s), s.plan(skipBoth())); r.Err != nil {
		t.Fatal(r.Err)
	}
	keys := []kmsg.Key{kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.CreateTopics, kmsg.DescribeConfigs, kmsg.InitProducerID}
	for _, at := range clean.steps {
		if !slices.Contains(keys, at.key) {
			continue
		}
		for _, how := range []fault{lostRequest, lostAnswer, noRetry, gone} {
			t.Run(fmt.Sprintf("%s-%d/%s", at.key.Name(), at.nth, how), func(t *testing.T) {
				t.Parallel()
				survivesNative(t, &wire{at: at, fault: how})
			})
		}
	}
}

func survivesNative(t *testing.T, w *wire) {
	s := fakeScene(t)
	s.mustApply(Convert{To: nativeFormat})
	p, old := s.plan(skipBoth()), s.allStands()
	r := s.apply(w.dial(s), p)
	if !w.hit {
		t.Skipf("this run did not come to %v", w.at)
	}
	now := s.settled(p)
	wantedNow := fmt.Sprintf("%+v %x", wanted(p), [2][]codec.Record{p.Changes[0].After.Records, p.Changes[1].After.Records})
	switch {
	case now != old && now != wantedNow:
		t.Fatalf("neither old nor new: %s", now)
	case r.Count(Applied) == 2 && now != wantedNow, r.Count(Applied) == 1:
		t.Fatalf("applied, it says: %+v, but %s stands", r, now)
	case r.Count(Applied) == 0 && r.Count(Unverified) == 0 && now != old:
		t.Fatalf("not applied, it says: %+v, but %s stands", r, now)
	case w.fault != gone && r.Count(Unverified) > 0:
		t.Fatalf("not settled: %+v", r)
	}
	if members(t, s) > 0 {
		return // the broker still counts the lost hold as a member, until its session ends
	}
	if r := s.apply(s.dial, p); r.Err != nil || s.allStands() != wantedNow {
		t.Fatalf("the second time: %+v", r)
	}
}

// settled is allStands once the transaction of a writer that is gone has ended,
// as the next writer ends it.
func (s *scene) settled(p Plan) string {
	s.t.Helper()
	if _, _, err := s.client(kgo.TransactionalID("gapctl-" + sceneGroup)).ProducerID(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if _, err := (&session{applier: s.applier(s.dial), plan: p}).load(context.WithoutCancel(s.t.Context())); err != nil {
		s.t.Fatal(err)
	}
	return s.allStands()
}
