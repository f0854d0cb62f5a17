package bench

import (
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkPlan plans repairs of 1,000 partitions whose metadata is full: the
// whole process, from its start to the printed plan.
func BenchmarkPlan(b *testing.B) {
	const partitions = 1000
	broker := throughputBroker(b)
	broker.CreateTopic("full", partitions, nil)
	commitFull(b, broker, partitions)
	gapctl := program(b, "github.com/gapctl/gapctl")
	planner := func(name string, args ...string) *contender {
		return &contender{name: name, command: func() *exec.Cmd {
			return exec.Command(gapctl, append(args, "-b", broker.Addr())...)
		}}
	}
	contenders := []*contender{
		planner("describe", "describe", "full", "-o", "csv"),
		planner("compact", "compact", "full", "-o", "csv"),
		planner("reset", "reset", "full", "--to-offset", "3000", "-o", "csv"),
		planner("reset-json", "reset", "full", "--to-offset", "3000", "-o", "json"),
	}
	inTurn(b, contenders...)
	report(b, contenders...)
}

// BenchmarkResetPlan plans a reset of 1,000 partitions.
func BenchmarkResetPlan(b *testing.B) {
	broker := throughputBroker(b)
	commitGaps(b, broker, 1, 1000)
	gapctl := program(b, "github.com/gapctl/gapctl")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd {
			return exec.Command(gapctl, "reset", "group-000", "--to-offset", "1000", "-b", broker.Addr())
		}},
		{name: "kafka-consumer-groups", command: func() *exec.Cmd {
			return consumerGroups(broker, "--reset-offsets", "--to-offset", "1000", "--group", "group-000", "--all-topics", "--dry-run")
		}},
	}
	serve(b, contenders[0])
	inTurn(b, contenders...)
	report(b, contenders...)
}

// commitFull fills each partition with 6,000 records, and its commit with as
// many random gaps as there is room for. The first gaps are below the log's
// start, so that there is something to compact.
func commitFull(b *testing.B, broker *kafkatest.Broker, partitions int32) {
	b.Helper()
	client := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(100_000))
	const each = 6000
	for range each {
		for p := range partitions {
			client.Produce(b.Context(), &kgo.Record{Topic: "full", Partition: p}, nil)
		}
	}
	if err := client.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	admin := kadm.NewClient(client)
	start := kadm.Offsets{}
	for p := range partitions {
		start.Add(kadm.Offset{Topic: "full", Partition: p, At: 20})
	}
	if _, err := admin.DeleteRecords(b.Context(), start); err != nil {
		b.Fatal(err)
	}
	full := fullCommit(b)
	for first := int32(0); first < partitions; first += 200 { // one batch of the coordinator
		offsets := kadm.Offsets{}
		for p := first; p < min(partitions, first+200); p++ {
			offsets.Add(kadm.Offset{Topic: "full", Partition: p, At: full.Committed, LeaderEpoch: -1, Metadata: full.Metadata})
		}
		if err := admin.CommitAllOffsets(b.Context(), "full", offsets); err != nil {
			b.Fatal(err)
		}
	}
}

// fullCommit is gaps that take nearly all of 4,096 characters.
func fullCommit(b *testing.B) codec.Encoded {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var full codec.Encoded
	gaps := []codec.Range{{Start: 0, End: 1}}
	for offset := int64(2); ; offset++ {
		if random.IntN(2) == 0 {
			gaps = append(gaps, codec.Range{Start: offset, End: offset + 1})
		}
		if offset%100 != 0 {
			continue
		}
		out, err := codec.Encode(codec.State{Max: offset + 2, Gaps: codec.NewRanges(gaps...)}, "parallel-consumer", "")
		if err != nil || out.Size > 4092 {
			return full
		}
		full = out
	}
}
