package gapstore

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

const shareFormat = "share-group"

// sharePart is one share partition on its way from start offset to state.
type sharePart struct {
	entry *Entry
	key   string // of the share coordinator
	err   error  // why the state could not be read so far
}

// shareKey is how FindCoordinator names a share partition (SharePartitionKey).
func shareKey(group string, topicID [16]byte, partition int32) string {
	return group + ":" + base64.RawURLEncoding.EncodeToString(topicID[:]) + ":" + strconv.Itoa(int(partition))
}

// loadShares reads the state of share groups: the share partitions and their
// start offsets from the group coordinator, and then the state of their records
// from the share coordinator, or, without the right to ask it, from the topic
// that it keeps.
func (s *Store) loadShares(ctx context.Context, groups []string, wanted Wanted) (map[string]*Loaded, []string) {
	result := blank(groups)
	if len(groups) == 0 {
		return result, nil
	}
	var limits map[string]int
	var asking sync.WaitGroup
	asking.Go(func() { limits = s.deliveryLimits(ctx, groups) })
	s.describeShares(ctx, groups, result, wanted)
	var parts []*sharePart
	for _, l := range result {
		for i := range l.Entries {
			if e := &l.Entries[i]; e.Err == nil && e.Committed >= 0 {
				parts = append(parts, &sharePart{entry: e, key: shareKey(e.Group, e.TopicID, e.Partition)})
			}
		}
	}
	unread := s.readShareStates(ctx, parts)
	unread, why := s.foldShareStates(ctx, unread)
	asking.Wait()
	for _, l := range result {
		l.DeliveryLimit = limits[l.Group]
	}
	return result, shareNotices(unread, why)
}

// shareNotices say what the groups look like without their records' states.
func shareNotices(unread []*sharePart, why error) []string {
	if len(unread) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the record states of %d share partitions could not be read, only their start offsets and lag: "+
		"this needs CLUSTER_ACTION on the cluster (%v), or READ on topic %s (%v)", len(unread), unread[0].err, shareTopic, why)}
}

// describeShares fills in the entries of groups, without state.
func (s *Store) describeShares(ctx context.Context, groups []string, into map[string]*Loaded, wanted Wanted) {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	for _, group := range groups {
		g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		g.GroupID = group // without topics: all of them
		req.Groups = append(req.Groups, g)
	}
	fail := func(group string, err error) {
		if l := into[group]; l != nil {
			l.Err = s.RequestFailure("read the offsets of share group "+group, kmsg.DescribeShareGroupOffsets.Int16(), err)
		}
	}
	for _, shard := range s.client.RequestSharded(ctx, req) {
		if shard.Err != nil {
			for _, g := range shard.Req.(*kmsg.DescribeShareGroupOffsetsRequest).Groups {
				fail(g.GroupID, shard.Err)
			}
			continue
		}
		resp := shard.Resp.(*kmsg.DescribeShareGroupOffsetsResponse)
		for i := range resp.Groups {
			g := &resp.Groups[i]
			if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
				fail(g.GroupID, err)
			} else if l := into[g.GroupID]; l != nil {
				l.Entries = shareEntries(g, wanted)
			}
		}
	}
}

// shareEntries are the wanted share partitions of a group, without state.
func shareEntries(group *kmsg.DescribeShareGroupOffsetsResponseGroup, wanted Wanted) []Entry {
	var entries []Entry
	for _, t := range group.Topics {
		for _, p := range t.Partitions {
			if !wanted(t.Topic, p.Partition) {
				continue
			}
			e := Entry{
				Key: Key{group.GroupID, t.Topic, p.Partition}, TopicID: t.TopicID, Home: HomeShareState,
				Committed: max(p.StartOffset, NoOffset), LeaderEpoch: p.LeaderEpoch,
				Format: shareFormat, ReportedLag: max(p.Lag, NoOffset),
			}
			if e.Committed >= 0 {
				e.State = codec.Complete(e.Committed)
			}
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				e.Committed, e.Err = NoOffset, Classify("read the start offset of "+e.Key.String(), err)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// setState gives an entry the state that was read for it.
func (e *Entry) setState(encoding string, state codec.ShareState) {
	e.Encoding = encoding
	e.Committed = max(state.StartOffset, NoOffset)
	e.Anomalies = state.Anomalies()
	e.State, e.Err = state.State(), state.Err
}
