package inspect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// historySource is a log that keeps commits, and what makes commits of its
// records. Records come in order.
type historySource struct {
	log   gapstore.LogPlace
	wants func(key []byte) bool
	read  func(*kgo.Record) (Commit, bool)
}

// historySources are the logs that may hold commits of g.
func historySources(ctx context.Context, store *gapstore.Store, g *Group) ([]historySource, error) {
	if g.Type == "share" {
		return shareSources(ctx, store, g)
	}
	log, err := store.CommitLog(ctx, g.Name)
	if err != nil {
		return nil, historyFailure(TopicConsumerOffsets, err)
	}
	commits := commitHistory{pasts: map[place]*past{}}
	sources := []historySource{{log, ownedBy(g.Name), commits.read}}
	if !slices.ContainsFunc(g.Partitions, func(p Partition) bool { return len(p.Slots) > 0 }) {
		return sources, nil
	}
	if log, err = store.NativeLog(ctx, g.Name); err != nil {
		return nil, historyFailure(codec.NativeTopic, err)
	}
	natives := nativeHistory{names: topicNames(g), pasts: map[nativePlace]*nativePast{}}
	mine := func(key []byte) bool {
		group, ok := codec.NativeOwner(key)
		return ok && string(group) == g.Name
	}
	return append(sources, historySource{log, mine, natives.read}), nil
}

func shareSources(ctx context.Context, store *gapstore.Store, g *Group) ([]historySource, error) {
	var logs []gapstore.LogPlace
	for i := range g.Partitions {
		p := &g.Partitions[i]
		log, err := store.ShareLog(ctx, codec.ShareKey{Group: g.Name, TopicID: p.TopicID, Partition: p.Partition})
		if err != nil {
			return nil, historyFailure(TopicShareGroupState, err)
		}
		logs = append(logs, log)
	}
	var sources []historySource
	for _, log := range sortLogs(logs) {
		shares := shareHistory{names: topicNames(g), pasts: map[codec.ShareKey]*sharePast{}}
		sources = append(sources, historySource{log, ownedBy(g.Name), shares.read})
	}
	return sources, nil
}

// topicNames are the names of g's topics by ID.
func topicNames(g *Group) map[[16]byte]string {
	names := map[[16]byte]string{}
	for i := range g.Partitions {
		names[g.Partitions[i].TopicID] = g.Partitions[i].Topic
	}
	return names
}

// ownedBy tells the keys of group's records among those that begin with one of
// two types and the group (OffsetCommitKey, ShareSnapshotKey, ShareUpdateKey).
func ownedBy(group string) func(key []byte) bool {
	if len(group) > math.MaxInt16 {
		return func([]byte) bool { return false }
	}
	owner := append(binary.BigEndian.AppendUint16(nil, uint16(len(group))), group...)
	return func(key []byte) bool {
		return len(key) > 2 && binary.BigEndian.Uint16(key) <= 1 && bytes.HasPrefix(key[2:], owner)
	}
}

// sortLogs puts logs in order, each once.
func sortLogs(logs []gapstore.LogPlace) []gapstore.LogPlace {
	slices.SortFunc(logs, func(a, b gapstore.LogPlace) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return slices.Compact(logs)
}

// historyFailure says which right it takes to read a topic.
func historyFailure(topic string, err error) error {
	var known *gapstore.Error
	if !errors.As(err, &known) {
		return err
	}
	failure := *known
	if known.Class == gapstore.ErrDenied || known.Class == gapstore.ErrNotFound {
		failure.Op = "the history can not be read in topic " + topic
		failure.Hint = fmt.Sprintf("needs READ and DESCRIBE on topic %s, which only Apache Kafka itself has", topic)
	}
	return &failure
}
