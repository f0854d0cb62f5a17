package gapstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

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
