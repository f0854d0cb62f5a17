package bench

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// nativeGroup is the hold of a group whose gaps are in the native format, which
// alone has room for many.
type nativeGroup struct {
	store        *gapstore.Store
	home         gapstore.NativeHome
	hold         *gapstore.Hold
	group, topic string
	topicID      [16]byte
	partitions   int32
}

// openNative takes hold of all partitions of the topic.
func openNative(ctx context.Context, broker *kafkatest.Broker, group, topic string, partitions int32) (*nativeGroup, error) {
	dial := func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(broker.Addr())}, extra...)...)
	}
	store, err := gapstore.Open(ctx, dial)
	if err != nil {
		return nil, err
	}
	n := &nativeGroup{store: store, group: group, topic: topic, partitions: partitions}
	if n.home, err = store.Ensure(ctx, gapstore.NativeOptions{}); err != nil {
		return nil, errors.Join(err, n.close(ctx))
	}
	topics, err := store.Topics(ctx, []string{topic})
	if err != nil {
		return nil, errors.Join(err, n.close(ctx))
	}
	n.topicID = topics[topic].ID
	parts := map[string][]int32{}
	for p := range partitions {
		parts[topic] = append(parts[topic], p)
	}
	if n.hold, err = gapstore.Acquire(ctx, dial, group, parts); err != nil {
		return nil, errors.Join(err, n.close(ctx))
	}
	return n, nil
}

func (n *nativeGroup) close(ctx context.Context) error {
	defer n.store.Close()
	if n.hold == nil {
		return nil
	}
	return n.hold.Release(ctx)
}

// commitAll commits the state in every partition, as one that is new.
func (n *nativeGroup) commitAll(ctx context.Context, state codec.State) error {
	var commit gapstore.Commit
	for p := range n.partitions {
		entry := gapstore.Entry{Key: gapstore.Key{Group: n.group, Topic: n.topic, Partition: p}, TopicID: n.topicID}
		records, err := n.home.Records(entry, state, codec.NativeStamp{LeaderEpoch: -1, Generation: -1, Time: time.Now().UnixMilli()})
		if err != nil {
			return err
		}
		commit.Records = append(commit.Records, records...)
		commit.Offsets = append(commit.Offsets, n.offset(p, state.Stable))
	}
	return n.hold.Commit(ctx, commit)
}

func (n *nativeGroup) offset(partition int32, at int64) gapstore.OffsetCommit {
	return gapstore.OffsetCommit{Topic: n.topic, Partition: partition, Offset: at, LeaderEpoch: -1}
}

// id is whose gaps those of partition 0 are.
func (n *nativeGroup) id() codec.NativeID { return codec.NativeID{Group: n.group, TopicID: n.topicID} }

// produced is the records as they are produced.
func (n *nativeGroup) produced(records []codec.Record) []*kgo.Record {
	partition := codec.NativePartition(n.group, n.home.Partitions)
	out := make([]*kgo.Record, len(records))
	for i, r := range records {
		out[i] = &kgo.Record{Topic: codec.NativeTopic, Partition: partition, Key: r.Key, Value: r.Value}
	}
	return out
}
