package gapstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sentCounter counts how often each request was written to a connection. The
// client repeats a request whose connection broke; only the count tells whether
// an answer is the answer to the first one, and whether a request that failed
// can have reached a broker at all.
type sentCounter struct {
	mu   sync.Mutex
	sent map[kmsg.Key]int64
}

var _ kgo.HookBrokerWrite = (*sentCounter)(nil)

// OnBrokerWrite counts a request, even one that was written in part.
func (s *sentCounter) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent == nil {
		s.sent = map[kmsg.Key]int64{}
	}
	s.sent[kmsg.Key(key)]++
}

func (s *sentCounter) of(key kmsg.Key) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[key]
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
