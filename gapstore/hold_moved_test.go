package gapstore

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A group that rebalances though nobody else is in it is joined again; one that
// does not come to rest is left for another time.
func TestHoldJoinsAgain(t *testing.T) {
	for name, times := range map[string]int32{"once": 1, "for ever": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			s, c := fakeScene(t, setting{})
			var left atomic.Int32
			left.Store(times)
			c.ControlKey(kmsg.SyncGroup.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if left.Add(-1) < 0 {
					return nil, nil, false
				}
				resp := req.ResponseKind().(*kmsg.SyncGroupResponse)
				resp.ErrorCode = kerr.RebalanceInProgress.Code
				return resp, nil, true
			})
			h, err := s.tryAcquire(t.Context(), s.dial)
			switch {
			case times > 1 && !errors.Is(err, ErrUnavailable):
				t.Errorf("%v, want ErrUnavailable", err)
			case times == 1 && err != nil:
				t.Error(err)
			}
			if err == nil {
				if err := h.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
