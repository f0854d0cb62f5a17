package gapstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answers gathers the broker's answers to one commit, partition by partition.
type answers struct {
	group   string
	names   map[[16]byte]string // newer versions answer with topic IDs alone
	missing map[Key]bool
	refused []Refusal
	written []Key
}

func newAnswers(group string, topics []topicCommits) *answers {
	a := &answers{group: group, names: map[[16]byte]string{}, missing: map[Key]bool{}}
	for _, t := range topics {
		a.names[t.id] = t.topic
		for _, o := range t.offsets {
			a.missing[Key{group, t.topic, o.Partition}] = true
		}
	}
	return a
}

func (a *answers) add(topic string, id [16]byte, partition int32, code int16) {
	if topic == "" {
		topic = a.names[id]
	}
	key := Key{a.group, topic, partition}
	delete(a.missing, key)
	if err := kerr.ErrorForCode(code); err != nil {
		a.refused = append(a.refused, Refusal{key, err})
		return
	}
	a.written = append(a.written, key)
}

// err is nil if every partition was accepted. A partition without an answer
// counts as refused for a reason that the server did not give.
func (a *answers) err() error {
	for key := range a.missing {
		a.refused = append(a.refused, Refusal{key, kerr.UnknownServerError})
	}
	if len(a.refused) == 0 {
		return nil
	}
	return &RefusedError{Refused: a.refused, Written: a.written}
}

// sentCounter counts how often the requests that settle a commit were written
// to a connection. The client repeats a request whose connection broke; only
// the count tells whether an answer is the answer to the first one.
type sentCounter struct{ commits, ends atomic.Int64 }

var _ kgo.HookBrokerWrite = (*sentCounter)(nil)

// OnBrokerWrite counts a request, even one that was written in part.
func (s *sentCounter) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	switch kmsg.Key(key) {
	case kmsg.OffsetCommit:
		s.commits.Add(1)
	case kmsg.EndTxn:
		s.ends.Add(1)
	}
}

func (s *sentCounter) of(key kmsg.Key) int64 {
	if key == kmsg.EndTxn {
		return s.ends.Load()
	}
	return s.commits.Load()
}

// since is how often a request was written after the count was before. One whose
// context has ended may be on the wire before it is counted.
func (s *sentCounter) since(before int64, key kmsg.Key, err error) int64 {
	n := s.of(key) - before
	if n == 0 && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return 1
	}
	return n
}
