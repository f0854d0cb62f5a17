package gapstore

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// copyOver copies one record over that network, up to the end of the transaction.
func (s *scene) copyOver(w *wire) error {
	s.t.Helper()
	c, err := OpenCopier(w.dial, s.group)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	if err := c.Begin(); err != nil {
		s.t.Fatal(err)
	}
	c.Produce(s.t.Context(), &kgo.Record{Topic: s.out, Value: []byte("copy")})
	return c.Commit(s.t.Context())
}

func TestCopierFencedHasCopiedNothing(t *testing.T) {
	for _, set := range []setting{{}, {speaks: kversion.V3_8_0()}} {
		s, _ := fakeScene(t, set)
		w := s.wire()
		w.at, w.before = step{kmsg.EndTxn, 1}, func() {
			newer := s.client(kgo.TransactionalID(transactionalID(s.group)))
			if _, _, err := newer.ProducerID(t.Context()); err != nil {
				t.Error(err)
			}
		}
		err := s.copyOver(w)
		// As to the second, see TestHoldFencedByANewerWriter.
		if !errors.Is(err, ErrFenced) && (set.speaks != nil || !errors.Is(err, kerr.InvalidTxnState)) || errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("fenced: %v", err)
		}
		if there := s.visible(t.Context()); len(there) > 0 {
			t.Errorf("fenced, but %q", there)
		}
	}
}

func TestCopierUnansweredIsADoubt(t *testing.T) {
	s, _ := fakeScene(t, setting{})
	w := s.wire()
	w.at, w.fault = step{kmsg.EndTxn, 1}, deaf
	if err := s.copyOver(w); !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("without an answer: %v", err)
	}
	if there := s.visible(t.Context()); len(there) != 1 {
		t.Errorf("committed, but %q", there)
	}
}
