package gapstore

import (
	"context"
	"errors"
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

// AtCoordinators calls ask with the groups that each broker coordinates, for all
// brokers at the same time, and is why it failed for some groups in the end, by
// group. Those that ask says failed because their coordinator has moved, or is
// loading, are asked for again for some seconds.
func (s *Store) AtCoordinators(ctx context.Context, groups []string, ask func(ctx context.Context, broker int32, groups []string) map[string]error) map[string]error {
	return s.atCoordinators(ctx, kindGroupCoordinator, groups, ask)
}

// atCoordinators finds the coordinator of each key and calls ask once per
// broker, at the same time. Keys that ask says failed because the coordinator
// has moved or is loading are found and asked again. The result is what is
// still wrong at the end, by key.
func (s *Store) atCoordinators(ctx context.Context, kind int8, keys []string, ask func(ctx context.Context, broker int32, keys []string) map[string]error) map[string]error {
	failed := map[string]error{}
	for try := 0; len(keys) > 0; try++ {
		byBroker, lost := s.coordinators(ctx, kind, keys)
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
		for key, err := range lost {
			if try+1 < coordinatorTries && ctx.Err() == nil && hasMoved(err) {
				keys = append(keys, key)
				continue
			}
			failed[key] = err
		}
		if len(keys) > 0 {
			pause(ctx, min(25*time.Millisecond<<try, time.Second))
		}
	}
	return failed
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

// coordinators finds the brokers that coordinate keys, and the keys for which
// none was found, with the reason. Together they are keys, whatever the answer.
func (s *Store) coordinators(ctx context.Context, kind int8, keys []string) (byBroker map[int32][]string, lost map[string]error) {
	byBroker, lost = map[int32][]string{}, make(map[string]error, len(keys))
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
	return byBroker, lost
}
