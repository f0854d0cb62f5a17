package bench

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// scalePartitions is how many partitions each group of the largest has.
const scalePartitions = 1000

// BenchmarkScale lists, and describes, ever more partitions of ever more groups,
// each with three gaps, and tells time and memory for a million partitions of
// each size: they should not grow from one to the next.
func BenchmarkScale(b *testing.B) {
	broker := kafkatest.Start(b, kafkatest.JVM("-XX:TieredStopAtLevel=4"), kafkatest.Heap(4096))
	broker.CreateTopic("orders", scalePartitions, nil)
	broker.Fill("orders", scalePartitions, 100)
	gapctl := program(b, "github.com/gapctl/gapctl")
	commands := []struct {
		name string
		args []string
	}{{"list", []string{"list"}}, {"describe", []string{"describe", "--all"}}, {"describe-json", []string{"describe", "--all", "-o", "json"}}}
	groups := 0
	for _, size := range []int{1_000, 10_000, 100_000, 1_000_000} {
		commitScale(b, broker, groups, size/scalePartitions)
		groups = size / scalePartitions
		for _, c := range commands {
			b.Run(fmt.Sprint(c.name, "-", size), func(b *testing.B) {
				timeScale(b, size, c.name, func() *exec.Cmd {
					return exec.Command(gapctl, append(slices.Clone(c.args), "-b", broker.Addr(), "--timeout", "5m")...)
				})
			})
		}
	}
}

func timeScale(b *testing.B, size int, name string, command func() *exec.Cmd) {
	var took []time.Duration
	peak := 0
	for b.Loop() {
		start := time.Now()
		peak = max(peak, peakOf(b, command()))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	median := took[len(took)/2]
	perPartition := float64(median.Microseconds()) / float64(size)
	boardLine{what: "Scale, " + name + ", " + count(int64(size)) + " group-partitions", ours: shortTime(median),
		other: fmt.Sprintf("peak %d MiB", peak>>10), theirs: fmt.Sprintf("%.1f µs each", perPartition)}.note()
	b.ReportMetric(perPartition, "µs/partition")
	b.ReportMetric(float64(peak>>10), "peak-MiB")
	b.ReportMetric(0, "ns/op")
}

// commitScale makes the groups from first on, up to end.
func commitScale(b *testing.B, broker *kafkatest.Broker, first, end int) {
	b.Helper()
	gaps := codec.NewRanges(codec.Range{Start: 10, End: 12}, codec.Range{Start: 20, End: 21}, codec.Range{Start: 40, End: 50})
	encoded, err := codec.Encode(codec.State{Stable: 10, Max: 60, Gaps: gaps}, "parallel-consumer", "")
	if err != nil {
		b.Fatal(err)
	}
	var offsets kadm.Offsets
	for partition := range int32(scalePartitions) {
		offsets.Add(kadm.Offset{Topic: "orders", Partition: partition, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	}
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	admin := kadm.NewClient(broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner())))
	numbers := make(chan int)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for n := range numbers {
				if err := admin.CommitAllOffsets(ctx, fmt.Sprintf("group-%05d", n), offsets); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for n := first; n < end; n++ {
		numbers <- n
	}
	close(numbers)
	work.Wait()
}
