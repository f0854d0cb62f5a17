package gapstore

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// nativeScene is a cluster with topics and native commits for them.
type nativeScene struct {
	t       *testing.T
	cluster *kfake.Cluster
	store   *Store
	home    NativeHome
	ids     map[string][16]byte
}

func newNativeScene(t *testing.T) *nativeScene {
	t.Helper()
	return nativeSceneOn(t, fakeCluster(t, "orders", "payments"))
}

// nativeSceneOn is a scene on a cluster that has the topics.
func nativeSceneOn(t *testing.T, cluster *kfake.Cluster) *nativeScene {
	t.Helper()
	n := &nativeScene{t: t, cluster: cluster, ids: map[string][16]byte{}}
	n.store = openStore(t, n.cluster.ListenAddrs()...)
	var err error
	if n.home, err = n.store.Ensure(t.Context(), NativeOptions{Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	topics, err := n.store.Topics(t.Context(), []string{"orders", "payments"})
	if err != nil {
		t.Fatal(err)
	}
	for name, topic := range topics {
		n.ids[name] = topic.ID
	}
	return n
}

// records are those of a commit with the gaps, up to 200,000.
func (n *nativeScene) records(group string, id [16]byte, slot uint32, gaps string) []*kgo.Record {
	n.t.Helper()
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		n.t.Fatal(err)
	}
	records, err := codec.EncodeNative(codec.NativeCommit{
		NativeID: codec.NativeID{Group: group, TopicID: id, Slot: slot},
		State:    codec.State{Stable: ranges.First().Start, Max: 200_000, Gaps: ranges},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	addressed, err := n.home.address(group, records)
	if err != nil {
		n.t.Fatal(err)
	}
	return addressed
}

func (n *nativeScene) client(opts ...kgo.Opt) *kgo.Client {
	n.t.Helper()
	cl, err := dialTo(n.cluster.ListenAddrs()...)(append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(cl.Close)
	return cl
}

func (n *nativeScene) produce(records []*kgo.Record) {
	n.t.Helper()
	if err := n.client().ProduceSync(n.t.Context(), records...).FirstErr(); err != nil {
		n.t.Fatal(err)
	}
}

// begin opens a transaction with records in it.
func (n *nativeScene) begin(id string, records []*kgo.Record) *Producer {
	n.t.Helper()
	cl, err := NewProducer(dialTo(n.cluster.ListenAddrs()...), kgo.TransactionalID(id))
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(cl.Close)
	if err := cl.BeginTransaction(); err != nil {
		n.t.Fatal(err)
	}
	if err := cl.ProduceSync(n.t.Context(), records...).FirstErr(); err != nil {
		n.t.Fatal(err)
	}
	return cl
}

func (n *nativeScene) end(cl *Producer, how kgo.TransactionEndTry) {
	n.t.Helper()
	if err := cl.EndTransaction(n.t.Context(), how); err != nil {
		n.t.Fatal(err)
	}
}

func (n *nativeScene) load(group string) (Loaded, []string) {
	n.t.Helper()
	loaded, notices := n.store.Load(n.t.Context(), []Ref{{Group: group}}, nil)
	return loaded[0], notices
}

// entry is the only entry of a group.
func (n *nativeScene) entry(group string) Entry {
	n.t.Helper()
	l, _ := n.load(group)
	if l.Err != nil || len(l.Entries) != 1 {
		n.t.Fatalf("%d entries, error %v", len(l.Entries), l.Err)
	}
	return l.Entries[0]
}
