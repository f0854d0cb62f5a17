package gapstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// sentBatches is what a broker sends of a partition with every compression, and
// aborted transactions.
func sentBatches(t testing.TB) (*Store, Position, kmsg.FetchResponseTopicPartition) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	fillInTransactions(t, c.ListenAddrs()[0], "orders", 1, 8)
	s, err := Open(t.Context(), dialTo(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	topics, err := s.Topics(t.Context(), []string{"orders"})
	if err != nil {
		t.Fatal(err)
	}
	at := Position{Topic: "orders", ID: topics["orders"].ID}
	resp, err := s.askFetch(t.Context(), topics["orders"].Logs[0].Leader, []Position{at}, FetchLimit{Partition: 8 << 20, Response: 8 << 20}, committedOnly)
	if err != nil {
		t.Fatal(err)
	}
	return s, at, resp.Topics[0].Partitions[0]
}

// wantedOf is the wanted ones of the records, with what one may ask of them. It
// leaves out how their batch was compressed.
func wantedOf(records []*kgo.Record, wanted codec.Ranges) []string {
	var texts []string
	for _, r := range records {
		if wanted.Contains(r.Offset) {
			texts = append(texts, fmt.Sprintf("%s/%d@%d %v %q %x %v epoch %d producer %d.%d", r.Topic, r.Partition, r.Offset,
				r.Timestamp, r.Key, r.Value, r.Headers, r.LeaderEpoch, r.ProducerID, r.ProducerEpoch))
		}
	}
	return texts
}

// Thin batches have the wanted records as they are, and end where the others do.
func TestThinBatches(t *testing.T) {
	t.Parallel()
	s, at, p := sentBatches(t)
	sent := p.RecordBatches
	whole := s.unpack(at, &p, committedOnly, nil)
	if len(p.AbortedTransactions) == 0 || len(whole.Records) < 500 {
		t.Fatalf("%d records, %d aborted transactions: nothing to tell apart", len(whole.Records), len(p.AbortedTransactions))
	}
	random := rand.New(rand.NewPCG(5, 6))
	var room unpackRoom
	for range 200 {
		room.records.reset()
		wanted := someRanges(random, whole.Next+5)
		p.RecordBatches = sent
		at.Wanted = slices.Collect(wanted.All())
		thin := s.unpack(at, &p, committedOnly, &room)
		got, want := wantedOf(thin.Records, wanted), wantedOf(whole.Records, wanted)
		if thin.Err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: %v, got %q, want %q", wanted, thin.Err, got, want)
		}
		if thin.Next != whole.Next || thin.Size != whole.Size || thin.Batch != whole.Batch || thin.First != whole.First {
			t.Fatalf("thin %+v, whole %+v", thin, whole)
		}
		if len(thin.Records) > 2*int(wanted.Count()) && thin.Thinned {
			t.Fatalf("%d records where %d are wanted", len(thin.Records), wanted.Count())
		}
	}
}

// What is damaged stays as it is, so that it is an error and not a record less.
func TestThinBatchesKeepsWhatIsDamaged(t *testing.T) {
	s, _, p := sentBatches(t)
	size := int(batchSize(p.RecordBatches))
	damaged := bytes.Clone(p.RecordBatches[:size])
	damaged[size-1] ^= 1
	if thin := appendThinBatches(nil, damaged, nil, s.decompressor.Decompress); !bytes.Equal(thin, damaged) {
		t.Errorf("a batch with a wrong checksum was made into %d bytes of %d", len(thin), size)
	}
	cut := p.RecordBatches[:size+batchHeader+1]
	if thin := appendThinBatches(nil, cut, nil, s.decompressor.Decompress); len(thin) != batchHeader {
		t.Errorf("a whole batch and a part of one are %d bytes, want a header", len(thin))
	}
}

// smallBatch is a batch of ten records.
func smallBatch() []byte {
	b := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: 9, NumRecords: 10, ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1}
	for i := range int32(10) {
		r := kmsg.Record{OffsetDelta: i, Key: []byte("k"), Value: []byte{'0' + byte(i)}}
		r.Length = int32(len(r.AppendTo(nil)) - 1) // it is one byte itself
		b.Records = r.AppendTo(b.Records)
	}
	b.Length = int32(len(b.AppendTo(nil)) - 12)
	return b.AppendTo(nil)
}

// said is how many records the batches say they have, beside control records.
func said(batches []byte) (n int) {
	for len(batches) >= batchHeader {
		size := batchSize(batches)
		if size < batchHeader || size > int64(len(batches)) {
			break
		}
		if binary.BigEndian.Uint16(batches[batchAttributesAt:])&batchControl == 0 {
			n += max(0, int(int32(binary.BigEndian.Uint32(batches[batchCountAt:]))))
		}
		batches = batches[size:]
	}
	return n
}

// FuzzThinBatches: whatever a broker sends, thinning gives no record that would
// not have been there. Where a record that nobody wants is damaged, all of its
// batch would be missing, and is not here.
func FuzzThinBatches(f *testing.F) {
	s := &Store{decompressor: boundedDecompressor{1 << 20}}
	f.Add(smallBatch(), int64(3), int64(2))
	f.Fuzz(func(t *testing.T, sent []byte, start, count int64) {
		sent = bytes.Clone(sent)
		if len(sent) >= batchHeader && start%2 == 0 { // let damage through to what comes after the checksum
			if size := batchSize(sent); size >= batchHeader && size <= int64(len(sent)) {
				binary.BigEndian.PutUint32(sent[batchCRCAt:], checksum(sent[:size]))
			}
		}
		at := Position{Topic: "orders"}
		part := kmsg.NewFetchResponseTopicPartition()
		part.RecordBatches = bytes.Clone(sent)
		whole := s.unpack(at, &part, committedOnly, nil)
		part.RecordBatches = bytes.Clone(sent)
		at.Wanted = []codec.Range{{Start: start, End: start + max(1, count&0xffff)}}
		thin := s.unpack(at, &part, committedOnly, nil)
		if len(whole.Records) < said(sent) {
			return
		}
		for _, r := range thin.Records {
			if !slices.ContainsFunc(whole.Records, func(w *kgo.Record) bool { return w.Offset == r.Offset && bytes.Equal(w.Value, r.Value) }) {
				t.Fatalf("record %d is not there", r.Offset)
			}
		}
	})
}
