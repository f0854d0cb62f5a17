package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// transfers fills its topic in transactions, whose markers take offsets too:
// 0-2 committed, 3 marker, 4-7 committed, 8 marker, 9-11 aborted, 12 marker,
// 13-16 committed, 17 marker.
func (s *seeder) transfers(ctx context.Context) error {
	producer, err := s.transactional("ledger")
	if err != nil {
		return err
	}
	defer producer.Close()
	var offset int64
	for _, tx := range []struct {
		records int64
		end     kgo.TransactionEndTry
	}{{3, kgo.TryCommit}, {4, kgo.TryCommit}, {3, kgo.TryAbort}, {4, kgo.TryCommit}} {
		records := s.records("transfers", offset, offset+tx.records, 18)
		err := errors.Join(begin(ctx, producer, records), producer.EndTransaction(ctx, tx.end))
		if err != nil {
			return err
		}
		offset += tx.records + 1 // the marker
	}
	return nil
}

// settlements leaves a transaction with five records open: its producer goes
// away without a word.
func (s *seeder) settlements(ctx context.Context) error {
	producer, err := s.transactional("settlement")
	if err != nil {
		return err
	}
	defer producer.Close()
	return begin(ctx, producer, s.records("settlements", 20, 25, 25))
}

func (s *seeder) transactional(id string) (*gapstore.Producer, error) {
	return gapstore.NewProducer(s.dial, kgo.ClientID(id), kgo.TransactionalID(id), kgo.TransactionTimeout(transactionTimeout))
}

func (s *seeder) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(clientOptions(s.addr, ClientID), extra...)...)
}

func begin(ctx context.Context, producer *gapstore.Producer, records []*kgo.Record) error {
	if err := producer.BeginTransaction(); err != nil {
		return err
	}
	return producer.ProduceSync(ctx, records...).FirstErr()
}

// orphan commits in a transaction and deletes the topic before it ends: the
// deletion drops the offsets that are committed, but not these.
func (s *seeder) orphan(ctx context.Context) error {
	const id, topic = orphanGroup, "coupons-2025"
	pid, err := s.producerID(ctx, id)
	if err != nil {
		return err
	}
	if err := s.stage(ctx, pid, topic); err != nil {
		return err
	}
	deleted, err := kadm.NewClient(s.client).DeleteTopics(ctx, topic)
	if err := errors.Join(err, deleted.Error()); err != nil {
		return fmt.Errorf("delete topic %s: %w", topic, err)
	}
	end := kmsg.NewPtrEndTxnRequest()
	end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = id, pid.ProducerID, pid.ProducerEpoch, true
	ended, err := end.RequestWith(ctx, s.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(ended.ErrorCode)
}

func (s *seeder) producerID(ctx context.Context, transactionalID string) (*kmsg.InitProducerIDResponse, error) {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = &transactionalID, 60000
	req.ProducerID, req.ProducerEpoch = -1, -1
	resp, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return nil, err
	}
	return resp, kerr.ErrorForCode(resp.ErrorCode)
}

// stage commits offset 40 of the topic within the transaction.
func (s *seeder) stage(ctx context.Context, pid *kmsg.InitProducerIDResponse, topic string) error {
	offset, metadata, err := commit{format: "parallel-consumer", stable: 40, max: 64, gaps: "40-42,55"}.encode()
	if err != nil {
		return err
	}
	p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	p.Offset, p.Metadata = offset, &metadata
	t := kmsg.NewTxnOffsetCommitRequestTopic()
	t.Topic, t.TopicID = topic, s.ids[topic]
	t.Partitions = append(t.Partitions, p)
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch = orphanGroup, orphanGroup, pid.ProducerID, pid.ProducerEpoch
	req.Generation = -1
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
}
