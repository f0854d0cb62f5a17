package gapstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// Leaders that move while records are read cost time and nothing else.
func TestReadRecordsFollowsTheLeader(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(4, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	topic := fillInTransactions(t, c.ListenAddrs()[0], "orders", 4, 8)
	s := openStore(t, c.ListenAddrs()...)
	var targets []Target
	for p := range int32(4) {
		targets = append(targets, Target{"orders", p, codec.NewRanges(codec.Range{End: topic.ends[p]})})
	}
	fetches := int32(0)
	c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		fetches++
		if err := c.MoveTopicPartition("orders", fetches%4, fetches%3); err != nil {
			t.Error(err)
		}
		if fetches > 30 {
			c.DropControl()
		}
		return nil, nil, false
	})
	checkFound(t, s, topic, targets, ReadOptions{Memory: 1 << 13})
	if fetches < 10 {
		t.Errorf("only %d fetches: nothing moved under way", fetches)
	}
}

// What retention removes in the middle is left out; it is no phantom.
func TestReadRecordsLeavesOutWhatRetentionRemoves(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	addr := c.ListenAddrs()[0]
	topic := fillInTransactions(t, addr, "orders", 1, 8)
	s := openStore(t, addr)
	removed := false
	var told codec.Ranges
	ranges := codec.NewRanges(codec.Range{End: topic.ends[0]})
	for f, err := range s.ReadRecords(t.Context(), []Target{{"orders", 0, ranges}}, ReadOptions{Memory: 1 << 12}) {
		if err != nil {
			t.Fatal(err)
		}
		if !removed {
			removed = true
			offsets := kadm.Offsets{}
			offsets.Add(kadm.Offset{Topic: "orders", At: 900})
			if _, err := kadm.NewClient(s.Client()).DeleteRecords(t.Context(), offsets); err != nil {
				t.Fatal(err)
			}
		}
		told = told.Union(codec.NewRanges(f.Offsets))
		if _, there := topic.records[0][f.Offsets.Start]; there != (f.Record != nil) {
			t.Fatalf("%v told, there: %t", f, there)
		}
	}
	rest := codec.NewRanges(codec.Range{Start: 900, End: topic.ends[0]})
	if !told.Intersect(rest).Equal(rest) || told.Contains(850) {
		t.Errorf("told %v of %v", told, ranges)
	}
}

func TestReadRecordsGivesUp(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	addr := c.ListenAddrs()[0]
	topic := fillInTransactions(t, addr, "orders", 2, 3)
	s := openStore(t, addr)
	targets := []Target{
		{"nowhere", 0, codec.NewRanges(codec.Range{End: 5})},
		{"orders", 7, codec.NewRanges(codec.Range{End: 5})},
		{"orders", 1, codec.NewRanges(codec.Range{End: topic.ends[1]})},
	}
	var failed []string
	records := 0
	for f, err := range s.ReadRecords(t.Context(), targets, ReadOptions{}) {
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			t.Error(err)
		case err != nil:
			failed = append(failed, fmt.Sprintf("%s/%d", f.Topic, f.Partition))
		case f.Record != nil:
			records++
		}
	}
	if !slices.Equal(failed, []string{"nowhere/0", "orders/7"}) || records != len(topic.records[1]) {
		t.Errorf("failed %q, %d records of %d", failed, records, len(topic.records[1]))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range s.ReadRecords(ctx, targets[2:], ReadOptions{Memory: 1 << 10}) {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("after the context ended: %v", last)
	}
}

// A broker that only ever answers that it does not lead is asked a few times.
func TestReadRecordsGivesUpALeaderlessLog(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	addr := c.ListenAddrs()[0]
	topic := fillInTransactions(t, addr, "orders", 1, 1)
	s := openStore(t, addr)
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.FetchRequest).Topics[0]
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic, rt.TopicID = asked.Topic, asked.TopicID
		rp := kmsg.NewFetchResponseTopicPartition()
		rp.ErrorCode = kerr.NotLeaderForPartition.Code
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	var last error
	for _, err := range s.ReadRecords(t.Context(), []Target{{"orders", 0, codec.NewRanges(codec.Range{End: topic.ends[0]})}}, ReadOptions{}) {
		last = err
	}
	if !errors.Is(last, ErrUnavailable) {
		t.Errorf("got %v", last)
	}
}
