package gapstore

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Every request of a repair is spoiled, one run each, in every way that a
// network has: what stands afterwards is the old state or the new one, whole,
// the error does not lie about it, and another repair finishes.
func TestNetworkFaultAtEveryStep(t *testing.T) {
	t.Parallel()
	eachStep(t, func(t *testing.T, at step, c setting) {
		for _, how := range []fault{cutBefore, cutAfter, sentTwice, answerTwice, deaf, gone} {
			t.Run(string(how), func(t *testing.T) {
				t.Parallel()
				s, _ := fakeScene(t, c)
				s.timing = hasty()
				w := s.wire()
				w.at, w.fault = at, how
				s.survives(w.dial)
				if !slices.Contains(w.requests(), at) {
					t.Skipf("this run did not come to %s", at)
				}
			})
		}
	})
}

// The broker refuses each request, for good or for the moment.
func TestErrorAnswerAtEveryStep(t *testing.T) {
	t.Parallel()
	codes := []*kerr.Error{kerr.UnknownServerError, kerr.CoordinatorLoadInProgress,
		kerr.UnknownMemberID, kerr.RebalanceInProgress, kerr.GroupAuthorizationFailed, kerr.InvalidProducerEpoch,
		kerr.ConcurrentTransactions, kerr.RequestTimedOut}
	eachStep(t, func(t *testing.T, at step, c setting) {
		for _, code := range codes {
			t.Run(code.Message, func(t *testing.T) {
				t.Parallel()
				s, cluster := fakeScene(t, c)
				s.timing = hasty()
				handle := refuse(cluster, at, code)
				defer handle.Remove()
				s.survives(s.dial)
				if handle.Hits() == 0 {
					t.Skipf("%s has no place for an error", at.key.Name())
				}
			})
		}
	})
}

// refuse answers one request with an error: in its place for the whole answer
// where it has one, and otherwise for every group, topic or partition in it.
func refuse(c *kfake.Cluster, at step, code *kerr.Error) *kfake.FaultHandle {
	seen := 0
	nth := func(kmsg.Request) bool { seen++; return seen == at.nth }
	topLevel := false
	switch at.key {
	case kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.LeaveGroup, kmsg.InitProducerID,
		kmsg.AddOffsetsToTxn, kmsg.EndTxn, kmsg.ApiVersions:
		topLevel = true
	}
	return c.Fault(kfake.Fault{Keys: []kmsg.Key{at.key}, Err: code, TopLevel: topLevel, When: nth})
}

// setting is what kind of commits a scene makes.
type setting struct {
	records int                // 0 makes plain commits
	speaks  *kversion.Versions // nil for all
}

// settings are the ways in which commits are made: the last is the transaction
// of brokers before KIP-890, where everything is added by a request of its own.
func settings() map[string]setting {
	return map[string]setting{"plain": {}, "records": {records: 3}, "records-explicit": {3, kversion.V3_8_0()}}
}

// eachStep calls fn for every request of a clean run, in every setting.
func eachStep(t *testing.T, fn func(t *testing.T, at step, c setting)) {
	if testing.Short() {
		t.Skip("short mode: hundreds of runs")
	}
	for name, c := range settings() {
		t.Run(name, func(t *testing.T) {
			clean, _ := fakeScene(t, c)
			w := clean.wire()
			if err := clean.repair(t.Context(), w.dial); err != nil {
				t.Fatal(err)
			}
			for _, at := range w.requests() {
				if at.key == kmsg.ApiVersions && at.nth > 1 || telemetry(at.key) {
					continue // one greeting stands for that of every connection
				}
				t.Run(at.String(), func(t *testing.T) {
					t.Parallel()
					fn(t, at, c)
				})
			}
		})
	}
}

// telemetry reports whether the client sends a request about itself (KIP-714).
func telemetry(key kmsg.Key) bool {
	return key == kmsg.GetTelemetrySubscriptions || key == kmsg.PushTelemetry
}

// survives runs a repair over a spoiled network and judges what stands.
func (s *scene) survives(dial Dial) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Second)
	defer cancel()
	err := s.repair(ctx, dial)
	if err != nil {
		s.t.Logf("repair: %v", err)
	}
	s.settle()
	now := s.mustSee(s.oldState(), s.newState())
	isNew := reflect.DeepEqual(now, s.newState())
	if err == nil && !isNew {
		s.t.Errorf("reported as made, but %+v", now)
	}
	if err != nil && isNew && !errors.Is(err, ErrUnknownOutcome) {
		s.t.Errorf("made, but reported as %v", err)
	}
	s.finish()
	s.mustSee(s.newState())
}
