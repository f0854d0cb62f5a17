package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkDescribeAll describes 300 groups × 100 partitions, each with some
// 420 characters of Parallel Consumer's metadata: every gap decoded, every row
// printed.
func BenchmarkDescribeAll(b *testing.B) {
	broker := throughputBroker(b)
	commitGaps(b, broker, 300, 100)
	gapctl, bare := program(b, "github.com/gapctl/gapctl"), program(b, "./bareclient")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, "describe", "--all", "-b", broker.Addr()) }},
		{name: "bare-client", command: func() *exec.Cmd { return exec.Command(bare, broker.Addr()) }},
		{name: "bare-client-rows", command: func() *exec.Cmd { return exec.Command(bare, "-rows", broker.Addr()) }},
		{name: "kafka-consumer-groups", command: func() *exec.Cmd {
			return consumerGroups(broker, "--describe", "--all-groups")
		}},
	}
	serve(b, contenders[0])
	compare(b, contenders...)
}

// BenchmarkDescribeOne describes one group of 3 partitions.
func BenchmarkDescribeOne(b *testing.B) {
	broker := throughputBroker(b)
	commitGaps(b, broker, 1, 3)
	gapctl, bare := program(b, "github.com/gapctl/gapctl"), program(b, "./bareclient")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, "describe", "group-000", "-b", broker.Addr()) }},
		{name: "bare-client", command: func() *exec.Cmd { return exec.Command(bare, broker.Addr(), "group-000") }},
		{name: "kafka-consumer-groups", command: func() *exec.Cmd {
			return consumerGroups(broker, "--describe", "--group", "group-000")
		}},
	}
	serve(b, contenders[0])
	compare(b, contenders...)
}

// BenchmarkDescribeShare describes a share group that holds records out of order.
func BenchmarkDescribeShare(b *testing.B) {
	broker := throughputBroker(b)
	broker.NeedVersion(4, 1)
	broker.CreateTopic("orders", 3, nil)
	broker.Fill("orders", 3, 1000)
	broker.RunShare(kafkatest.ShareOptions{Group: "share", Topics: []string{"orders"}, Release: kafkatest.Every(3), Reject: kafkatest.Every(5)})
	gapctl := program(b, "github.com/gapctl/gapctl")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, "describe", "share", "-b", broker.Addr()) }},
		{name: "kafka-share-groups", command: func() *exec.Cmd {
			return tool(broker, "org.apache.kafka.tools.consumer.group.ShareGroupCommand", "--describe", "--group", "share")
		}},
	}
	serve(b, contenders[0])
	inTurn(b, contenders...)
	report(b, contenders...)
}

// commitGaps makes a topic, and groups that have gaps in all its partitions.
func commitGaps(b *testing.B, broker *kafkatest.Broker, groups int, partitions int32) {
	b.Helper()
	broker.CreateTopic("orders", partitions, nil)
	broker.Fill("orders", partitions, 2000)
	admin := kadm.NewClient(broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner())))
	ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
	defer cancel()
	random := rand.New(rand.NewPCG(1, 2))
	for group := range groups {
		var offsets kadm.Offsets
		for partition := range partitions {
			encoded := randomGaps(b, random)
			offsets.Add(kadm.Offset{Topic: "orders", Partition: partition, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
		}
		if err := admin.CommitAllOffsets(ctx, fmt.Sprintf("group-%03d", group), offsets); err != nil {
			b.Fatal(err)
		}
	}
}

// randomGaps is 78 gaps in some 900 offsets, written in about 420 characters.
func randomGaps(b *testing.B, random *rand.Rand) codec.Encoded {
	b.Helper()
	start := random.Int64N(300)
	gaps := []codec.Range{{Start: start, End: start + 1}}
	end := start + 1
	for range 77 {
		end += 1 + random.Int64N(12)
		gaps = append(gaps, codec.Range{Start: end, End: end + 1 + random.Int64N(8)})
		end = gaps[len(gaps)-1].End
	}
	state := codec.State{Stable: start, Max: end + 1, Gaps: codec.NewRanges(gaps...)}
	encoded, err := codec.Encode(state, "parallel-consumer", "run-length-v1")
	if err != nil {
		b.Fatal(err)
	}
	return encoded
}
