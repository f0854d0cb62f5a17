package gapstore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// work is a topic with records, and consumers of one group that process them.
type work struct {
	t     testing.TB
	addrs []string
	group string
	topic string
	dial  Dial
}

// newWork is a fake cluster whose topic has n records in each of its partitions.
func newWork(t testing.TB, partitions int32, n int) (*work, *kfake.Cluster) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Millisecond), kfake.SeedTopics(partitions, "orders"),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := &work{t: t, addrs: c.ListenAddrs(), group: "billing", topic: "orders"}
	w.dial = func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(slices.Concat([]kgo.Opt{kgo.SeedBrokers(w.addrs...)}, quickRetries(), extra)...)
	}
	w.fill(partitions, n)
	return w, c
}

func (w *work) fill(partitions int32, n int) {
	w.t.Helper()
	w.fillWith(partitions, n, func(p int32, i int) *kgo.Record { return &kgo.Record{Value: fmt.Appendf(nil, "%d/%d", p, i)} })
}

// fillWith writes n records into each partition.
func (w *work) fillWith(partitions int32, n int, record func(partition int32, i int) *kgo.Record) {
	w.t.Helper()
	cl, err := w.dial(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		w.t.Fatal(err)
	}
	defer cl.Close()
	var records []*kgo.Record
	for p := range partitions {
		for i := range n {
			r := record(p, i)
			r.Topic, r.Partition = w.topic, p
			records = append(records, r)
		}
	}
	if err := cl.ProduceSync(w.t.Context(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *work) options(client ...kgo.Opt) ConsumerOptions {
	client = append([]kgo.Opt{kgo.SessionTimeout(10 * time.Second), kgo.HeartbeatInterval(50 * time.Millisecond),
		kgo.RebalanceTimeout(20 * time.Second), kgo.FetchMaxWait(50 * time.Millisecond)}, client...)
	return ConsumerOptions{Group: w.group, Topics: []string{w.topic}, Native: NativeOptions{Partitions: 3}, Client: client}
}

func (w *work) join(o ConsumerOptions) *Consumer {
	w.t.Helper()
	c, err := NewConsumer(w.t.Context(), w.dial, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// crash ends a consumer without a chance to commit.
func (c *Consumer) crash() {
	c.mu.Lock()
	clear(c.parts)
	c.mu.Unlock()
	_ = c.client.LeaveGroupContext(context.Background())
	c.shut()
}

// poll polls until n records have come.
func (w *work) poll(c *Consumer, n int) []*kgo.Record {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	var all []*kgo.Record
	for len(all) < n {
		records, err := c.Poll(ctx, 0)
		if err != nil {
			w.t.Fatalf("after %d of %d records: %v", len(all), n, err)
		}
		all = append(all, records...)
	}
	return all
}

// settled is what the group has committed. A broker answers before all partitions
// know of a transaction's end, also of the first one: so it waits for that.
func (w *work) settled() (entries []Entry) {
	w.t.Helper()
	s, err := Open(w.t.Context(), w.dial)
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	awaitEnd(w.t, "transactions to end", func() bool {
		entries = loadGroup(w.t, s, w.group).Entries
		return len(entries) > 0 && !slices.ContainsFunc(entries, func(e Entry) bool { return e.Pending || e.Committed < 0 })
	})
	return entries
}

// entries is what the group has committed, checked: offset and gaps are those
// of one commit.
func (w *work) entries() map[int32]Entry {
	w.t.Helper()
	entries := map[int32]Entry{}
	for _, e := range w.settled() {
		if _, moved := e.Moved(); e.Err != nil || e.Home != HomeNative || moved || e.State.Check() != nil {
			w.t.Errorf("%s: home %s, committed %d, state [%d,%d) %s, error %v", e.Key, e.Home, e.Committed, e.State.Stable, e.State.Max, e.State.Gaps, e.Err)
		}
		entries[e.Partition] = e
	}
	return entries
}

func offsets(records []*kgo.Record) string {
	var rs []codec.Range
	for _, r := range records {
		rs = append(rs, codec.Range{Start: r.Offset, End: r.Offset + 1})
	}
	return codec.NewRanges(rs...).String()
}
