package gapstore

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// Position is where to read one partition. A request holds a partition once.
type Position struct {
	Topic     string
	ID        [16]byte // of the topic; Kafka 3.1 and later ask for it
	Partition int32
	Offset    int64
	// Room is how many bytes to ask for, 0: those of the limit.
	Room int32
	// Wanted, unless it is empty, are the offsets whose records are needed, in
	// ascending order; others may be left out. A broker sends whole batches, of
	// which often one record is wanted: to make records of all of them costs
	// more than everything else.
	Wanted []codec.Range
}

// op is what fails where p can not be read.
func (p Position) op() string {
	return fmt.Sprintf("read %s/%d at offset %d", p.Topic, p.Partition, p.Offset)
}

// Fetched is what a broker gave for a [Position].
type Fetched struct {
	// Records are those at or above the offset asked for, ascending. Control
	// records and those of aborted transactions are left out.
	Records []*kgo.Record
	// Next is the offset to go on from. It is the offset asked for when the
	// broker gave nothing: the end is reached, or the next batch was larger
	// than the limit.
	Next int64
	// First is where the batches that were given begin, which is at or below
	// the offset asked for. Size is their bytes as they were sent, and Batch
	// those of the first.
	First       int64
	Size, Batch int
	// Err is why the partition could not be read.
	Err error

	// Thinned: records that are not wanted were left out.
	Thinned bool
}

// FetchLimit bounds a response, in bytes. A broker goes beyond it for a single
// batch, so that a reader always advances: the first of the partition that
// comes first (KIP-74).
type FetchLimit struct{ Partition, Response int32 }

// Fetch reads committed records at the given positions, which one broker leads,
// without waiting for more. The result has the order of positions. The error is
// an [*Error].
func (s *Store) Fetch(ctx context.Context, leader int32, positions []Position, limit FetchLimit) ([]Fetched, error) {
	return s.fetch(ctx, leader, positions, limit, committedOnly)
}

// isolation is which records a fetch gives, as the request numbers it.
type isolation int8

const (
	everyRecord   isolation = 0 // also of open and aborted transactions, and control records
	committedOnly isolation = 1
)

// unpackedAlone is how many partitions are unpacked sooner than divided.
const unpackedAlone = 8

// FetchEach is [Store.Fetch] for who needs each record but for a moment: take
// gets what the broker gave for the position at i, and may not keep its records,
// since the next ones take their place. Where it gave nothing, take is not
// called. It is called from several goroutines, once per position.
func (s *Store) FetchEach(ctx context.Context, leader int32, positions []Position, limit FetchLimit, take func(i int, f Fetched)) error {
	resp, err := s.askFetch(ctx, leader, positions, limit, committedOnly)
	if err != nil {
		return err
	}
	type part struct {
		i int
		p *kmsg.FetchResponseTopicPartition
	}
	parts := make([]part, 0, len(positions))
	eachFetched(positions, resp, func(i int, p *kmsg.FetchResponseTopicPartition) { parts = append(parts, part{i, p}) })
	spread(parts, unpackedAlone, func(parts []part) {
		var room unpackRoom
		for _, f := range parts {
			room.records.reset()
			take(f.i, s.unpack(positions[f.i], f.p, committedOnly, &room))
		}
	})
	return nil
}

func (s *Store) fetch(ctx context.Context, leader int32, positions []Position, limit FetchLimit, records isolation) ([]Fetched, error) {
	resp, err := s.askFetch(ctx, leader, positions, limit, records)
	if err != nil {
		return nil, err
	}
	fetched := make([]Fetched, len(positions))
	for i, at := range positions {
		fetched[i].Next = at.Offset
	}
	eachFetched(positions, resp, func(i int, p *kmsg.FetchResponseTopicPartition) {
		fetched[i] = s.unpack(positions[i], p, records, nil)
	})
	return fetched, nil
}

func (s *Store) askFetch(ctx context.Context, leader int32, positions []Position, limit FetchLimit, records isolation) (*kmsg.FetchResponse, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.MinBytes, req.MaxWaitMillis = limit.Response, 1, 0
	req.IsolationLevel = int8(records)
	topicAt := map[string]int{}
	for _, at := range positions {
		i, ok := topicAt[at.Topic]
		if !ok {
			i = len(req.Topics)
			topicAt[at.Topic] = i
			t := kmsg.NewFetchRequestTopic()
			t.Topic, t.TopicID = at.Topic, at.ID
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = at.Partition, at.Offset, limit.Partition
		if at.Room > 0 {
			p.PartitionMaxBytes = at.Room
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	kresp, err := s.client.Broker(int(leader)).RetriableRequest(ctx, req)
	if err == nil {
		err = kerr.ErrorForCode(kresp.(*kmsg.FetchResponse).ErrorCode)
	}
	if err != nil {
		return nil, s.Failure("read records", err)
	}
	return kresp.(*kmsg.FetchResponse), nil
}

// eachFetched gives each position its part of the response, once, which names
// topics by ID from v13 on, and by name before.
func eachFetched(positions []Position, resp *kmsg.FetchResponse, do func(i int, p *kmsg.FetchResponseTopicPartition)) {
	type key struct {
		topic     string
		id        [16]byte
		partition int32
	}
	index := make(map[key]int, len(positions))
	for i, at := range positions {
		if resp.Version >= 13 {
			at.Topic = ""
		} else {
			at.ID = [16]byte{}
		}
		index[key{at.Topic, at.ID, at.Partition}] = i
	}
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for j := range t.Partitions {
			p := &t.Partitions[j]
			place := key{t.Topic, t.TopicID, p.Partition}
			if at, ok := index[place]; ok {
				delete(index, place)
				do(at, p)
			}
		}
	}
}

// unpack makes records of what a broker gave, in that room, unless it is nil.
func (s *Store) unpack(at Position, p *kmsg.FetchResponseTopicPartition, records isolation, room *unpackRoom) Fetched {
	opts := kgo.ProcessFetchPartitionOpts{Offset: at.Offset, IsolationLevel: kgo.ReadCommitted(), Topic: at.Topic, Partition: at.Partition}
	decompress := s.decompressor.Decompress
	var thin []byte
	if room != nil {
		opts.Pools = []kgo.Pool{&room.records}
		thin = room.thin[:0]
		decompress = func(src []byte, codec kgo.CompressionCodecType) (_ []byte, err error) {
			room.batch, err = s.decompressor.into(room.batch, src, codec)
			return room.batch, err
		}
	}
	if records == everyRecord {
		opts.IsolationLevel, opts.KeepControlRecords = kgo.ReadUncommitted(), true
	}
	f := Fetched{First: at.Offset}
	f.measure(p.RecordBatches)
	if len(at.Wanted) > 0 && !covered(p.RecordBatches, at.Wanted) {
		thin = appendThinBatches(thin, p.RecordBatches, at.Wanted, decompress)
		f.Thinned = len(thin) != len(p.RecordBatches)
		p.RecordBatches = thin
		if room != nil {
			room.thin = thin
		}
	}
	got, next := kgo.ProcessFetchPartition(opts, p, s.decompressor, nil)
	f.Records, f.Next = got.Records, max(next, at.Offset)
	if got.Err != nil {
		f.Err = lacking(at.op(), "READ on topic "+at.Topic, got.Err)
	}
	return f
}

// measure notes the sizes of the batches that were sent.
func (f *Fetched) measure(batches []byte) {
	f.Size = len(batches)
	if f.Size >= 12 { // a batch begins with its first offset, and the length of what follows
		f.First = min(f.First, int64(binary.BigEndian.Uint64(batches)))
		f.Batch = min(f.Size, 12+int(binary.BigEndian.Uint32(batches[8:])))
	}
}
