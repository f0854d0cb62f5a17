package repair

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// hangUp has the broker hang up on who reads commits, so many times, from the
// moment on that it has been asked for last.
func (s *scene) hangUp(last kmsg.Key, times int32) {
	var written atomic.Bool
	var left atomic.Int32
	left.Store(times)
	s.cluster.ControlKey(last.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		written.Store(true)
		return nil, nil, false
	})
	s.cluster.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.cluster.KeepControl()
		if !written.Load() || left.Add(-1) < 0 {
			return nil, nil, false
		}
		return nil, errors.New("hang up"), true
	})
}

// What was written stands, though it can not be read back at once.
func TestReadBackAgain(t *testing.T) {
	for name, c := range map[string]struct {
		op   Op
		last kmsg.Key
	}{
		"reset":           {skipBoth(), kmsg.OffsetCommit},
		"replay":          {Replay{ToTopic: retryTopic}, kmsg.EndTxn},
		"replay together": {Replay{ToTopic: retryTopic, Together: true}, kmsg.EndTxn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := replayScene(t)
			p := s.plan(c.op)
			s.hangUp(c.last, 20) // more often than the client tries by itself
			if r := s.apply(s.dial, p); r.Err != nil || r.Count(Applied) != 2 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// It is looked for as long as it may take, and then it is not known.
func TestReadBackEnds(t *testing.T) {
	s := fakeScene(t)
	p := s.plan(skipBoth())
	s.hangUp(kmsg.OffsetCommit, 1<<30)
	a := s.applier(s.dial)
	a.Settle = 300 * time.Millisecond
	r := a.Apply(t.Context(), p, Approve(p, "me@here", "test"))
	if !errors.Is(r.Err, ErrUnverified) || r.Count(Unverified) != 2 {
		t.Errorf("%+v", r)
	}
}
