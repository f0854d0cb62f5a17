package gapstore

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func TestHoldFencedByANewerWriter(t *testing.T) {
	for _, set := range []setting{{records: 3}, {3, kversion.V3_8_0()}} {
		for _, at := range []step{{kmsg.TxnOffsetCommit, 1}, {kmsg.EndTxn, 1}} {
			s, _ := fakeScene(t, set)
			err := s.fencedAt(at)
			// This fake takes one epoch for a takeover, where Kafka takes two,
			// and so can't tell it from an abort that the writer itself made.
			if !errors.Is(err, ErrFenced) && !errors.Is(err, kerr.InvalidTxnState) {
				t.Errorf("%v: %v", at, err)
			}
		}
	}
}

// fencedAt is what a commit says when a newer writer of the group appears at a
// step.
func (s *scene) fencedAt(at step) error {
	s.t.Helper()
	w := s.wire()
	w.at, w.before = at, func() {
		newer := s.client(kgo.TransactionalID(transactionalID(s.group)))
		if _, _, err := newer.ProducerID(s.t.Context()); err != nil {
			s.t.Error(err)
		}
	}
	h := s.acquire(w.dial)
	err := h.Commit(s.t.Context(), s.change())
	if errors.Is(err, ErrFenced) && !errors.Is(h.Err(), ErrFenced) {
		s.t.Errorf("the hold goes on: %v", h.Err())
	}
	if errors.Is(err, ErrUnknownOutcome) {
		s.t.Errorf("in doubt: %v", err)
	}
	s.mustSee(s.oldState())
	if err := h.Release(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	s.finish()
	s.mustSee(s.newState())
	return err
}

func TestRefusedTransactionIsAborted(t *testing.T) {
	for name, set := range settings() {
		if set.records == 0 {
			continue
		}
		s, c := fakeScene(t, set)
		h := s.acquire(s.dial)
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Partitions: []int32{1}, Err: kerr.OffsetMetadataTooLarge})
		err := h.Commit(t.Context(), s.change())
		refused, ok := errors.AsType[*RefusedError](err)
		if !ok || len(refused.Refused) != 1 || refused.Refused[0].Partition != 1 || len(refused.Written) != 0 {
			t.Errorf("%s: %v", name, err)
		}
		s.mustSee(s.oldState())
		s.mustBeEnded()
		if err := h.Commit(t.Context(), s.change()); err != nil {
			t.Errorf("%s: the next commit: %v", name, err)
		}
		s.mustSee(s.newState())
	}
}

func TestPartialCommitSaysSo(t *testing.T) {
	s, c := fakeScene(t, setting{})
	h := s.acquire(s.dial)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Partitions: []int32{1}, Err: kerr.TopicAuthorizationFailed})
	err := h.Commit(t.Context(), s.change())
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok || !errors.Is(err, ErrPartial) || len(refused.Written) != 1 || refused.Written[0].Partition != 0 {
		t.Errorf("commit: %v", err)
	}
}

func TestCommitsAfterLeavingAreRefused(t *testing.T) {
	for _, set := range settings() {
		if set.records > 0 {
			s, _ := fakeScene(t, set)
			s.commitsAfterLeaving()
		}
	}
}

// commitsAfterLeaving are the answers to a commit with records and a plain one,
// from holds that are no members any more and don't know it.
func (s *scene) commitsAfterLeaving() (answers []error) {
	s.t.Helper()
	c := s.change()
	for _, c := range []Commit{c, {Offsets: c.Offsets}} {
		h := s.acquire(s.dial)
		if err := h.member.leave(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		err := h.Commit(s.t.Context(), c)
		if !errors.Is(err, ErrLost) || errors.Is(err, ErrUnknownOutcome) {
			s.t.Errorf("commit: %v", err)
		}
		s.mustSee(s.oldState())
		s.mustBeEnded()
		answers = append(answers, err)
	}
	return answers
}
