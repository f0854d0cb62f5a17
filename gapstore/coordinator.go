package gapstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The kinds of coordinators, as FindCoordinator numbers them.
const (
	kindGroupCoordinator int8 = 0 // by group
	kindShareCoordinator int8 = 2 // by "group:topic ID:partition", FindCoordinator v6 (KIP-932)
)

const coordinatorTries = 8 // about 2.5 seconds: a coordinator that moves is back by then

// AskBroker asks one broker about keys that it coordinates, and returns why it
// failed for some of them, by key.
type AskBroker func(ctx context.Context, broker int32, keys []string) map[string]error

// AtCoordinators calls ask once for each broker that coordinates any of groups,
// for all at the same time. Where the coordinator has moved or is loading, ask is
// called again, for some seconds; so ask may only read. The result is what still
// fails then, by group.
func (s *Store) AtCoordinators(ctx context.Context, groups []string, ask AskBroker) map[string]error {
	return s.atCoordinators(ctx, kindGroupCoordinator, groups, ask)
}

// atCoordinators is [Store.AtCoordinators] for keys of any kind.
func (s *Store) atCoordinators(ctx context.Context, kind int8, keys []string, ask AskBroker) map[string]error {
	failed := map[string]error{}
	for try := 0; len(keys) > 0; try++ {
		byBroker, rest := s.listers(kind, keys)
		lost := s.coordinators(ctx, kind, slices.Collect(maps.Keys(rest)), byBroker)
		var mu sync.Mutex
		var asking sync.WaitGroup
		for broker, keys := range byBroker {
			asking.Go(func() {
				errs := ask(ctx, broker, keys)
				mu.Lock()
				defer mu.Unlock()
				for key, err := range errs {
					lost[key] = err
				}
			})
		}
		asking.Wait()
		keys = nil
		wait := false
		for key, err := range lost {
			listed := !rest[key]
			if listed {
				s.unlist(key)
			}
			again := hasMoved(err) || listed && errors.Is(Classify("ask", err), ErrUnavailable)
			if try+1 == coordinatorTries || ctx.Err() != nil || !again {
				failed[key] = err
				continue
			}
			keys = append(keys, key)
			wait = wait || !listed
		}
		if wait {
			pause(ctx, min(25*time.Millisecond<<try, time.Second))
		}
	}
	return failed
}

// Listed takes over which broker has listed each group. A broker lists the groups
// that it coordinates, so it need not be looked for again: each group is asked
// about there first, until the next list. A group that two brokers have listed
// has just moved, and does not belong in it.
func (s *Store) Listed(brokers map[string]int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = brokers
}

// listers are the brokers that have listed keys, and the rest of these.
func (s *Store) listers(kind int8, keys []string) (byBroker map[int32][]string, rest map[string]bool) {
	byBroker, rest = map[int32][]string{}, map[string]bool{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if broker, ok := s.listed[key]; ok && kind == kindGroupCoordinator {
			byBroker[broker] = append(byBroker[broker], key)
		} else {
			rest[key] = true
		}
	}
	return byBroker, rest
}

// unlist has the group's coordinator be looked for.
func (s *Store) unlist(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listed, group)
}

func hasMoved(err error) bool {
	return errors.Is(err, kerr.NotCoordinator) ||
		errors.Is(err, kerr.CoordinatorNotAvailable) ||
		errors.Is(err, kerr.CoordinatorLoadInProgress)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// coordinators adds the brokers that coordinate keys to byBroker, and returns
// the keys for which none was found, with the reason. Together they are keys,
// whatever the answer.
func (s *Store) coordinators(ctx context.Context, kind int8, keys []string, byBroker map[int32][]string) (lost map[string]error) {
	lost = make(map[string]error, len(keys))
	if len(keys) == 0 {
		return lost
	}
	for _, key := range keys {
		lost[key] = Classify("find the coordinator of "+key, errors.New("the broker did not answer for it"))
	}
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType = kind
	req.CoordinatorKeys = keys
	for _, shard := range s.client.RequestSharded(ctx, req) {
		if shard.Err != nil {
			for _, key := range shard.Req.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
				lost[key] = s.Failure("find the coordinator of "+key, shard.Err)
			}
			continue
		}
		for _, c := range shard.Resp.(*kmsg.FindCoordinatorResponse).Coordinators {
			if lost[c.Key] == nil {
				continue // not asked for, or answered already
			}
			if err := kerr.ErrorForCode(c.ErrorCode); err != nil {
				lost[c.Key] = Classify("find the coordinator of "+c.Key, err)
				continue
			}
			delete(lost, c.Key)
			byBroker[c.NodeID] = append(byBroker[c.NodeID], c.Key)
		}
	}
	return lost
}
