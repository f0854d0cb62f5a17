package lab

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts a lab for the test.
func start(t *testing.T, o Options) *Lab {
	t.Helper()
	l, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func dial(t *testing.T, l *Lab, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(l.Addr())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// contents are all that a client can see of a lab and that must not differ from
// start to start: groups, members, commits, log bounds, and a digest of records.
func contents(t *testing.T, l *Lab) string {
	t.Helper()
	ctx := t.Context()
	admin := kadm.NewClient(dial(t, l))
	var out bytes.Buffer
	groups, err := admin.ListGroups(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Sorted() {
		fmt.Fprintln(&out, g.Group, g.GroupType, g.State)
		if g.GroupType == "share" {
			continue
		}
		offsets, err := admin.FetchOffsets(ctx, g.Group)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range offsets.Sorted() {
			fmt.Fprintln(&out, o.Topic, o.Partition, o.At, o.LeaderEpoch, o.Metadata)
		}
	}
	described, err := admin.DescribeConsumerGroups(ctx, liveGroup)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range described[liveGroup].Members {
		fmt.Fprintln(&out, m.MemberID, m.ClientID, m.ClientHost, m.MemberEpoch)
	}
	logs(t, l, admin, &out)
	return out.String()
}

func logs(t *testing.T, l *Lab, admin *kadm.Client, out *bytes.Buffer) {
	t.Helper()
	starts, err := admin.ListStartOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stables, err := admin.ListCommittedOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ends, err := admin.ListEndOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range ends.Offsets().Sorted() {
		start, _ := starts.Lookup(end.Topic, end.Partition)
		stable, _ := stables.Lookup(end.Topic, end.Partition)
		digest := digest(t, l, end.Topic, end.Partition, start.Offset, end.At)
		fmt.Fprintf(out, "%s/%d %d %d %d %x\n", end.Topic, end.Partition, start.Offset, stable.Offset, end.At, digest)
	}
}

// digest is that of the records that consumers get, aborted ones and those in
// open transactions included.
func digest(t *testing.T, l *Lab, topic string, partition int32, from, end int64) uint64 {
	t.Helper()
	client := dial(t, l, kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		topic: {partition: kgo.NewOffset().At(from)},
	}))
	defer client.Close() // it says goodbye to its broker, which a test may end before itself
	sum := fnv.New64a()
	for next := from; next < end; {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() { // a marker's time and producer are the broker's
				fmt.Fprintln(sum, r.Offset, r.Timestamp.UnixMilli(), keyOf(r), string(r.Value))
			}
			next = r.Offset + 1
		})
	}
	return sum.Sum64()
}

// keyOf is the key of a record without the topic ID, which is drawn anew.
func keyOf(r *kgo.Record) string {
	native, err := codec.DecodeNativeRecord(r.Key, nil)
	if err != nil {
		return string(r.Key)
	}
	return fmt.Sprint(native.Group, native.Kind, native.Partition, native.Window)
}

func TestTwoStartsAreAlike(t *testing.T) {
	first := contents(t, start(t, Options{}))
	second := contents(t, start(t, Options{}))
	if first != second {
		t.Errorf("first start:\n%s\nsecond start:\n%s", first, second)
	}
}

func TestDataDirKeepsTheLab(t *testing.T) {
	o := Options{DataDir: t.TempDir()}
	l := start(t, o)
	admin := kadm.NewClient(dial(t, l))
	moved := make(kadm.Offsets)
	moved.AddOffset("orders", 2, 1193, -1)
	if err := admin.CommitAllOffsets(t.Context(), "shipping", moved); err != nil {
		t.Fatal(err)
	}
	before, share := contents(t, l), readShareState(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := start(t, o)
	if after := contents(t, again); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if after := readShareState(t, again); after != share {
		t.Errorf("share state before %s, after %s", share, after)
	}
}

func TestEmptyLabHasNothing(t *testing.T) {
	l := start(t, Options{Empty: true})
	admin := kadm.NewClient(dial(t, l))
	topics, err := admin.ListTopics(t.Context())
	if err != nil || len(topics) != 0 {
		t.Errorf("topics %v, error %v", topics.Names(), err)
	}
	groups, err := admin.ListGroups(t.Context())
	if err != nil || len(groups) != 0 {
		t.Errorf("groups %v, error %v", groups.Groups(), err)
	}
}

func TestStartOnTakenPortFails(t *testing.T) {
	l := start(t, Options{Empty: true})
	_, port, err := net.SplitHostPort(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	if _, err := fmt.Sscan(port, &o.Port); err != nil {
		t.Fatal(err)
	}
	if second, err := Start(t.Context(), o); err == nil {
		second.Close()
		t.Errorf("two labs on port %d", o.Port)
	}
}

func TestStartIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, err := Start(ctx, Options{}); err == nil {
		l.Close()
		t.Error("started although cancelled")
	}
}
