package gapstore

import (
	"context"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// alterations are the requests that change what stands without a [Hold].
func alterations() map[string]func(context.Context, *Store) error {
	return map[string]func(context.Context, *Store) error{
		"delete offsets": func(ctx context.Context, s *Store) error {
			return s.DeleteOffsets(ctx, "billing", []Key{{"billing", "orders", 0}, {"billing", "orders", 1}})
		},
		"reset a share group": func(ctx context.Context, s *Store) error {
			_, err := s.AlterShareOffsets(ctx, "billing", []OffsetCommit{{Topic: "orders", Offset: 5}})
			return err
		},
		"delete share offsets": func(ctx context.Context, s *Store) error {
			_, err := s.DeleteShareOffsets(ctx, "billing", []string{"orders"})
			return err
		},
	}
}

// open opens a store over the network.
func (w *wire) open() *Store {
	w.t.Helper()
	s, err := Open(w.t.Context(), w.dial)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(s.Close)
	return s
}

// TestNeverSentIsNoDoubt: where the coordinator could not be asked, nothing can
// have changed, and the error says why it could not.
func TestNeverSentIsNoDoubt(t *testing.T) {
	for name, alter := range alterations() {
		t.Run(name, func(t *testing.T) {
			sc, c := fakeScene(t, setting{})
			w := sc.wire()
			s := w.open()
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.GroupAuthorizationFailed})
			if err := alter(t.Context(), s); !errors.Is(err, ErrDenied) || errors.Is(err, ErrUnknownOutcome) {
				t.Errorf("without the right to ask: %v", err)
			}
			w.at, w.fault = step{kmsg.FindCoordinator, 1}, gone
			if err := alter(t.Context(), s); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome) {
				t.Errorf("without a broker: %v", err)
			}
			sc.mustSee(sc.oldState())
		})
	}
}

// TestUnansweredIsADoubt: what was sent may have been done.
func TestUnansweredIsADoubt(t *testing.T) {
	sc, _ := fakeScene(t, setting{})
	w := sc.wire()
	s := w.open()
	w.at, w.fault = step{kmsg.OffsetDelete, 1}, deaf
	if err := alterations()["delete offsets"](t.Context(), s); !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("without an answer: %v", err)
	}
	if left := loadGroup(t, openStore(t, sc.addrs...), sc.group).Entries; len(left) != 0 {
		t.Errorf("deleted, but %v", left)
	}
}
