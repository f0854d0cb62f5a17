package lab

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

const nativeFormat = "native"

// native writes the gaps of those commits that are in the native format, in
// transactions, as a consumer does.
func (s *seeder) native(ctx context.Context, group string, commits []commit) error {
	var records []*kgo.Record
	for _, c := range commits {
		if c.format != nativeFormat {
			continue
		}
		gaps, err := codec.ParseRanges(c.gaps)
		if err != nil {
			return err
		}
		written, err := codec.EncodeNative(codec.NativeCommit{
			NativeID:    codec.NativeID{Group: group, TopicID: s.ids[c.topic], Partition: c.partition, Slot: c.slot},
			NativeStamp: codec.NativeStamp{LeaderEpoch: -1, Generation: 1, Time: s.now.UnixMilli()},
			State:       codec.State{Stable: c.stable, Max: c.max, Gaps: gaps},
		})
		if err != nil {
			return err
		}
		if c.cut {
			written = written[len(written)-1:] // the head alone
		}
		for _, r := range written {
			records = append(records, &kgo.Record{
				Topic: codec.NativeTopic, Partition: codec.NativePartition(group, nativePartitions),
				Key: r.Key, Value: r.Value, Timestamp: s.now,
			})
		}
	}
	if len(records) == 0 {
		return nil
	}
	if err := s.ensureNative(ctx); err != nil {
		return err
	}
	producer, err := s.transactional(group)
	if err != nil {
		return err
	}
	defer producer.Close()
	return errors.Join(begin(ctx, producer, records), producer.EndTransaction(ctx, kgo.TryCommit))
}

const nativePartitions = 5

func (s *seeder) ensureNative(ctx context.Context) error {
	store, err := gapstore.Open(ctx, s.dial)
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = store.Ensure(ctx, gapstore.NativeOptions{Partitions: nativePartitions})
	return err
}
