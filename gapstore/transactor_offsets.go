package gapstore

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// confirm asks the group's coordinator whether the membership stands, for a
// transaction without offsets. The records are in the log by now: whoever gets
// the group's partitions in a later generation reads that log after the answer
// was given, sees the open transaction, and waits for its end. So the answer
// guards the transaction as well as an offset in it would (KIP-447). A member
// that is to rejoin is still one.
func (t *transactor) confirm(ctx context.Context, m membership) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.InstanceID, req.Generation = m.group, m.id, m.instance, m.generation
	return retry(ctx, func() error {
		resp, err := req.RequestWith(ctx, t.producer)
		if err != nil {
			return err
		}
		err = kerr.ErrorForCode(resp.ErrorCode)
		if errors.Is(err, kerr.RebalanceInProgress) {
			return nil
		}
		return err
	})
}

// addOffsets adds the offset commits to the transaction, under the membership.
// It is the group's coordinator that checks this: the request for the producer
// to the transaction's coordinator proves nothing.
func (t *transactor) addOffsets(ctx context.Context, m membership, topics []topicCommits) error {
	id, epoch, err := t.producer.ProducerID(ctx)
	if err != nil {
		return err
	}
	if !t.addsImplicitly() {
		req := kmsg.NewPtrAddOffsetsToTxnRequest()
		req.TransactionalID, req.Group = t.id, m.group
		req.ProducerID, req.ProducerEpoch = id, epoch
		if err := retry(ctx, func() error {
			resp, err := req.RequestWith(ctx, t.producer)
			if err != nil {
				return err
			}
			return kerr.ErrorForCode(resp.ErrorCode)
		}); err != nil {
			return err
		}
	}
	req := t.offsetCommit(m, topics)
	req.ProducerID, req.ProducerEpoch = id, epoch
	return retry(ctx, func() error {
		resp, err := req.RequestWith(ctx, t.producer)
		if err != nil {
			return err
		}
		answers := newAnswers(m.group, topics)
		for _, rt := range resp.Topics {
			for _, rp := range rt.Partitions {
				answers.add(rt.Topic, rt.TopicID, rp.Partition, rp.ErrorCode)
			}
		}
		answers.written = nil // nothing is, before the transaction ends
		return answers.err()
	})
}

func (t *transactor) offsetCommit(m membership, topics []topicCommits) *kmsg.TxnOffsetCommitRequest {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	req.TransactionalID, req.Group = t.id, m.group
	req.MemberID, req.InstanceID, req.Generation = m.id, m.instance, m.generation
	for _, of := range topics {
		rt := kmsg.NewTxnOffsetCommitRequestTopic()
		rt.Topic, rt.TopicID = of.topic, of.id
		for _, o := range of.offsets {
			rp := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			rp.Partition, rp.Offset, rp.LeaderEpoch, rp.Metadata = o.Partition, o.Offset, o.LeaderEpoch, &o.Metadata
			rt.Partitions = append(rt.Partitions, rp)
		}
		req.Topics = append(req.Topics, rt)
	}
	return req
}
