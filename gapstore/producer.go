package gapstore

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Producer is a transactional client that knows a topic's partitions before it
// takes a record for it. franz-go (1.22.3) hands the first records of a topic
// on before it has stored the topic's partitions, and until it has, Flush and
// EndTransaction don't see these records: one leaves them lingering, the other
// returns nil for a commit that it has not asked for, or has turned into an abort.
// It is not safe for concurrent use.
type Producer struct {
	*kgo.Client
	known map[string]bool
}

// NewProducer makes a producer with opts, one of which is the transactional ID. A
// record goes to its own Partition, one whose Partition is -1 where its key says.
// The caller closes the producer.
func NewProducer(dial Dial, opts ...kgo.Opt) (*Producer, error) {
	client, err := dial(append(opts, kgo.RecordPartitioner(chosenPartition{kgo.StickyKeyPartitioner(nil)}))...)
	if err != nil {
		return nil, err
	}
	return &Producer{Client: client, known: map[string]bool{}}, nil
}

// Produce is that of the client, but waits for the partitions of a topic that
// is new to it.
func (p *Producer) Produce(ctx context.Context, r *kgo.Record, promise func(*kgo.Record, error)) {
	if err := p.learn(ctx, r); err != nil {
		promise(r, err)
		return
	}
	p.Client.Produce(ctx, r, promise)
}

// ProduceSync is that of the client. Without the partitions of a topic, none
// of the records is produced.
func (p *Producer) ProduceSync(ctx context.Context, records ...*kgo.Record) kgo.ProduceResults {
	if err := p.learn(ctx, records...); err != nil {
		return kgo.ProduceResults{{Record: records[0], Err: err}}
	}
	return p.Client.ProduceSync(ctx, records...)
}

// learn waits for the partitions of the records' topics. It asks for them with a
// record that the partitioner refuses once it knows them. The client holds a
// lock until it has stored them, and whoever produces next waits for that lock.
func (p *Producer) learn(ctx context.Context, records ...*kgo.Record) error {
	for _, r := range records {
		if p.known[r.Topic] {
			continue
		}
		probe := &kgo.Record{Topic: r.Topic, Partition: toRefuse}
		answer := make(chan error, 1)
		p.Client.Produce(ctx, probe, func(_ *kgo.Record, err error) { answer <- err })
		if err := <-answer; probe.Partition != refused {
			return err
		}
		p.known[r.Topic] = true
	}
	return nil
}
