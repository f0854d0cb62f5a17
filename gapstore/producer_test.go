package gapstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// partitioning counts the records that are given a partition, and those of them
// that are by the call that brings them. The client partitions the others later,
// and may not see them when it flushes or ends a transaction.
type partitioning struct{ all, atOnce atomic.Int64 }

var _ kgo.HookProduceRecordPartitioned = (*partitioning)(nil)

func (p *partitioning) OnProduceRecordPartitioned(*kgo.Record, int32) {
	p.all.Add(1)
	if onStack("gapstore.(*Producer).", "gapstore.(*transactor).produce") {
		p.atOnce.Add(1)
	}
}

// onStack reports whether one of the calls that are under way has one of names
// in its own.
func onStack(names ...string) bool {
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		for _, name := range names {
			if strings.Contains(frame.Function, name) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}

func (p *partitioning) dial(dial Dial) Dial {
	return func(extra ...kgo.Opt) (*kgo.Client, error) { return dial(append(extra, kgo.WithHooks(p))...) }
}

func (p *partitioning) mustBeAtOnce(t *testing.T, want int64) {
	t.Helper()
	if all, atOnce := p.all.Load(), p.atOnce.Load(); all != want || atOnce != want {
		t.Errorf("%d records got a partition, %d of them by the call that brings them, want %d", all, atOnce, want)
	}
}

// Not even the first record of a topic waits for its partitions in the client.
func TestProducerPartitionsAtOnce(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	ways := map[string]func(*Producer, ...*kgo.Record) error{
		"one by one": func(p *Producer, records ...*kgo.Record) (failed error) {
			for _, r := range records {
				p.Produce(t.Context(), r, func(_ *kgo.Record, err error) { failed = errors.Join(failed, err) })
			}
			return errors.Join(p.Flush(t.Context()), failed)
		},
		"together": func(p *Producer, records ...*kgo.Record) error {
			return p.ProduceSync(t.Context(), records...).FirstErr()
		},
	}
	for name, produce := range ways {
		t.Run(name, func(t *testing.T) {
			seen := &partitioning{}
			p, err := NewProducer(seen.dial(s.dial), kgo.TransactionalID(name))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			for i := range 2 {
				var records []*kgo.Record
				for _, topic := range []string{s.topic, s.out} {
					records = append(records, &kgo.Record{Topic: topic, Value: fmt.Append(nil, i)}, &kgo.Record{Topic: topic, Partition: -1, Key: []byte("k")})
				}
				if err := errors.Join(p.BeginTransaction(), produce(p, records...), p.EndTransaction(t.Context(), kgo.TryCommit)); err != nil {
					t.Fatal(err)
				}
				seen.mustBeAtOnce(t, int64(i+1)*4)
			}
		})
	}
}

func TestHoldPartitionsAtOnce(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	seen := &partitioning{}
	h := s.acquire(seen.dial(s.dial))
	if err := h.Commit(t.Context(), s.change()); err != nil {
		t.Fatal(err)
	}
	seen.mustBeAtOnce(t, 2)
}

// Whoever waits for a topic that is not there is told so, and can stop waiting.
func TestProducerLearnsNothing(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	p, err := NewProducer(s.dial, kgo.TransactionalID("nothing"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	r := &kgo.Record{Topic: "nowhere"}
	if err := p.ProduceSync(t.Context(), r).FirstErr(); !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("%v, want that the topic is not known", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	p.Produce(over, r, func(_ *kgo.Record, err error) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the wait has ended", err)
		}
	})
}

// A transaction of which the broker was told nothing is none.
func TestTransactionNotEnded(t *testing.T) {
	s, _ := fakeScene(t, setting{records: 2})
	h := s.acquire(s.dial)
	sent, err := h.txn.commit(t.Context(), h.member.membership(), nil, nil)
	if sent != 0 || !errors.Is(err, errNotEnded) {
		t.Errorf("sent %d times, %v; want never, and that it is told", sent, err)
	}
	if err := h.Commit(t.Context(), s.change()); err != nil {
		t.Fatal(err)
	}
	s.mustSee(s.newState())
}
