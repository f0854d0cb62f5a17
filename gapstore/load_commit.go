package gapstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// groupsPerFetch bounds one OffsetFetch, so that its response stays within
// what the client accepts and decoding overlaps with the next one.
const groupsPerFetch = 12

// loadCommits reads the offset commits of classic and KIP-848 groups.
func (s *Store) loadCommits(ctx context.Context, groups []string, wanted Wanted) map[string]*Loaded {
	result := blank(groups)
	if len(groups) == 0 {
		return result
	}
	limit := sync.OnceValue(func() int { return s.brokerLimits(ctx).metadata })
	var asking sync.WaitGroup
	asking.Go(func() { limit() }) // at the same time
	failed := s.atCoordinators(ctx, kindGroupCoordinator, groups, func(ctx context.Context, broker int32, groups []string) map[string]error {
		return s.askCommits(ctx, broker, groups, func(group *kmsg.OffsetFetchResponseGroup, pending map[place]bool) {
			result[group.Group].Entries = commitEntries(group, pending, wanted, limit())
		})
	})
	asking.Wait()
	for group, err := range failed {
		result[group].Err = Classify("read the commits of group "+group, err)
	}
	return result
}

// place is a partition within one group.
type place struct {
	topic     string
	partition int32
}

// takeCommits receives one group's answer, with the partitions for which it is
// about to change. It is called from several goroutines, once per group.
type takeCommits func(group *kmsg.OffsetFetchResponseGroup, pending map[place]bool)

// askCommits asks one broker for the commits of groups.
func (s *Store) askCommits(ctx context.Context, broker int32, groups []string, take takeCommits) map[string]error {
	size := groupsPerFetch
	if !s.speaks(kmsg.OffsetFetch, 8) {
		size = 1 // Kafka before 3.0 takes one group per request
	}
	failed := map[string]error{}
	var mu sync.Mutex
	var work sync.WaitGroup
	for part := range slices.Chunk(groups, size) {
		work.Go(func() {
			errs := s.askStable(ctx, broker, part, take)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(failed, errs)
		})
	}
	work.Wait()
	return failed
}

// askStable asks for stable commits first: where a transaction is about to
// change one, the broker says so instead of telling it (KIP-447), and the group
// is asked again for what is committed now.
func (s *Store) askStable(ctx context.Context, broker int32, groups []string, take takeCommits) map[string]error {
	found, failed := s.fetchOffsets(ctx, broker, groups, true)
	pending := map[string]map[place]bool{}
	var again []string
	for i := range found {
		if p := unstable(&found[i]); len(p) > 0 {
			pending[found[i].Group] = p
			again = append(again, found[i].Group)
			continue
		}
		take(&found[i], nil)
	}
	if len(again) == 0 {
		return failed
	}
	found, stillFailed := s.fetchOffsets(ctx, broker, again, false)
	for i := range found {
		take(&found[i], pending[found[i].Group])
	}
	maps.Copy(failed, stillFailed)
	return failed
}

func unstable(group *kmsg.OffsetFetchResponseGroup) map[place]bool {
	var pending map[place]bool
	for _, t := range group.Topics {
		for i := range t.Partitions {
			if p := &t.Partitions[i]; p.ErrorCode == kerr.UnstableOffsetCommit.Code {
				if pending == nil {
					pending = map[place]bool{}
				}
				pending[place{t.Topic, p.Partition}] = true
			}
		}
	}
	return pending
}

// fetchOffsets is one OffsetFetch, or two halves of it when the response is
// larger than the client accepts.
func (s *Store) fetchOffsets(ctx context.Context, broker int32, groups []string, stable bool) (found []kmsg.OffsetFetchResponseGroup, failed map[string]error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = stable
	req.Group = groups[0] // for Kafka before 3.0, which is asked for one group at a time
	for _, group := range groups {
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group = group
		req.Groups = append(req.Groups, g)
	}
	kresp, err := s.client.Broker(int(broker)).RetriableRequest(ctx, offsetFetch{req})
	if err != nil && len(groups) > 1 && ctx.Err() == nil && reads(err, "response exceeds BrokerMaxReadBytes") {
		half := len(groups) / 2
		found, failed = s.fetchOffsets(ctx, broker, groups[:half], stable)
		more, moreFailed := s.fetchOffsets(ctx, broker, groups[half:], stable)
		maps.Copy(failed, moreFailed)
		return append(found, more...), failed
	}
	failed = map[string]error{}
	if err != nil {
		for _, group := range groups {
			failed[group] = s.Failure("read the commits of group "+group, err)
		}
		return nil, failed
	}
	answered := responseGroups(groups[0], &kresp.(*offsetFetched).OffsetFetchResponse)
	for _, group := range groups {
		i := slices.IndexFunc(answered, func(g kmsg.OffsetFetchResponseGroup) bool { return g.Group == group })
		if i < 0 {
			failed[group] = errors.New("the broker did not answer for it")
		} else if err := kerr.ErrorForCode(answered[i].ErrorCode); err != nil {
			failed[group] = err
		} else {
			found = append(found, answered[i])
		}
	}
	return found, failed
}

// offsetFetch is the request with a response whose texts lie in the bytes that
// the broker sent. Those are metadata for the most part, and are kept: a copy of
// each would double the memory.
type offsetFetch struct{ *kmsg.OffsetFetchRequest }

// ResponseKind is the response that takes what the broker sends.
func (r offsetFetch) ResponseKind() kmsg.Response {
	return &offsetFetched{kmsg.OffsetFetchResponse{Version: r.Version}}
}

type offsetFetched struct{ kmsg.OffsetFetchResponse }

// ReadFrom keeps src, which nobody else holds.
func (r *offsetFetched) ReadFrom(src []byte) error { return r.UnsafeReadFrom(src) }

// responseGroups gives the answer of a Kafka before 3.0 the shape of later ones.
func responseGroups(group string, resp *kmsg.OffsetFetchResponse) []kmsg.OffsetFetchResponseGroup {
	if resp.Version >= 8 {
		return resp.Groups
	}
	g := kmsg.NewOffsetFetchResponseGroup()
	g.Group, g.ErrorCode = group, resp.ErrorCode
	for _, t := range resp.Topics {
		topic := kmsg.NewOffsetFetchResponseGroupTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			topic.Partitions = append(topic.Partitions, kmsg.OffsetFetchResponseGroupTopicPartition(p))
		}
		g.Topics = append(g.Topics, topic)
	}
	return []kmsg.OffsetFetchResponseGroup{g}
}

// commitEntries are the wanted commits of a group, decoded, sorted by topic, then
// partition. Metadata may have as many UTF-16 units as limit.
func commitEntries(group *kmsg.OffsetFetchResponseGroup, pending map[place]bool, wanted Wanted, limit int) []Entry {
	slices.SortFunc(group.Topics, func(a, b kmsg.OffsetFetchResponseGroupTopic) int { return cmp.Compare(a.Topic, b.Topic) })
	n := 0
	for i := range group.Topics {
		n += len(group.Topics[i].Partitions)
	}
	entries := make([]Entry, 0, n)
	for i := range group.Topics {
		t := &group.Topics[i]
		for _, key := range inOrder(t.Partitions) {
			p := &t.Partitions[uint32(key)]
			if !wanted(t.Topic, p.Partition) || (p.ErrorCode == 0 && p.Offset < 0) {
				continue // Kafka answers -1 where nothing is committed
			}
			entries = entries[:len(entries)+1]
			e := &entries[len(entries)-1] // in place, for it is large
			e.Key, e.Home = Key{group.Group, t.Topic, p.Partition}, HomeCommit
			e.Committed, e.LeaderEpoch, e.ReportedLag = p.Offset, p.LeaderEpoch, NoOffset
			e.Pending = pending[place{t.Topic, p.Partition}]
			e.SizeLimit, e.MetadataLimit = limit, limit
			if p.Metadata != nil {
				e.Raw = *p.Metadata
			}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				e.Committed, e.Err = NoOffset, Classify("read the commit of "+e.Key.String(), err)
			}
		}
	}
	decodeAll(entries)
	return entries
}

// inOrder are partitions by ascending number, each as that and, in the low half,
// its index: a broker tells them in the order of a hash table. Entries are then
// made in that order: to sort them, or what they are made of, is to move large
// structs about.
func inOrder(partitions []kmsg.OffsetFetchResponseGroupTopicPartition) []int64 {
	keys := make([]int64, len(partitions))
	for i := range partitions {
		keys[i] = int64(partitions[i].Partition)<<32 | int64(i)
	}
	slices.Sort(keys)
	return keys
}
