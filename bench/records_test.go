package bench

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// The topic of BenchmarkRecords: each partition has a gap of one record in
// every sparseEvery.
const (
	sparsePartitions = 4
	sparseRecords    = 2_500_000 // per partition
	sparseEvery      = 10_000
)

// BenchmarkRecords prints the records in 1,000 gaps that are strewn over
// 10,000,000 records, against reading all of these.
func BenchmarkRecords(b *testing.B) {
	broker := throughputBroker(b)
	broker.CreateTopic("orders", sparsePartitions, nil)
	fillSparse(b, broker)
	commitSparse(b, broker)
	gapctl, bare := program(b, "github.com/gapctl/gapctl"), program(b, "./bareconsumer")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, "records", "billing", "-b", broker.Addr()) }},
		{name: "bare-consumer", command: func() *exec.Cmd {
			return exec.Command(bare, broker.Addr(), "orders", strconv.Itoa(sparsePartitions*sparseRecords))
		}},
	}
	serve(b, contenders[0])
	inTurn(b, contenders...)
	report(b, contenders...)
}

// fillSparse writes small records in batches of the size that is the Java
// producer's default.
func fillSparse(b *testing.B, broker *kafkatest.Broker) {
	b.Helper()
	client := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(16<<10),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.MaxBufferedRecords(100_000), kgo.ProducerLinger(5*time.Millisecond))
	ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
	defer cancel()
	for i := range sparseRecords {
		for partition := range int32(sparsePartitions) {
			client.Produce(ctx, &kgo.Record{
				Topic: "orders", Partition: partition,
				Key: fmt.Appendf(nil, "customer-%d", i%1000), Value: fmt.Appendf(nil, "order %d of partition %d", i, partition),
			}, func(_ *kgo.Record, err error) {
				if err != nil {
					b.Error(err)
				}
			})
		}
	}
	if err := client.Flush(ctx); err != nil {
		b.Fatal(err)
	}
}

func commitSparse(b *testing.B, broker *kafkatest.Broker) {
	b.Helper()
	var gaps []codec.Range
	for at := int64(0); at < sparseRecords; at += sparseEvery {
		gaps = append(gaps, codec.Range{Start: at, End: at + 1})
	}
	encoded, err := codec.Encode(codec.State{Max: sparseRecords, Gaps: codec.NewRanges(gaps...)}, "parallel-consumer", "run-length-v2")
	if err != nil {
		b.Fatal(err)
	}
	var offsets kadm.Offsets
	for partition := range int32(sparsePartitions) {
		offsets.Add(kadm.Offset{Topic: "orders", Partition: partition, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	}
	if err := kadm.NewClient(broker.Client()).CommitAllOffsets(b.Context(), "billing", offsets); err != nil {
		b.Fatal(err)
	}
}
