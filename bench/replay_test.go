package bench

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkReplayMemory replays 1,000,000 records of 1 KB to another topic, in
// both orders, and tells the peak of the process's memory.
func BenchmarkReplayMemory(b *testing.B) {
	const partitions, each = 4, 250_000
	scene := newReplayScene(b, "kilobytes", partitions, each, 1000)
	dense := codec.State{Max: each, Gaps: codec.NewRanges(codec.Range{Start: 0, End: each - 1})}
	scene.inBothOrders(b, partitions, dense)
}

// BenchmarkReplayManyGaps replays 10,000,000 records, each a gap by itself.
func BenchmarkReplayManyGaps(b *testing.B) {
	const partitions, each = 4, 5_000_000
	scene := newReplayScene(b, "gaps", partitions, each, 10)
	gaps := make([]codec.Range, 0, each/2)
	for at := int64(0); at < each-1; at += 2 {
		gaps = append(gaps, codec.Range{Start: at, End: at + 1})
	}
	scene.inBothOrders(b, partitions, codec.State{Max: each, Gaps: codec.NewRanges(gaps...)})
}

// replayScene is a topic that is full of records.
type replayScene struct {
	broker *kafkatest.Broker
	topic  string
	gapctl string
}

func newReplayScene(b *testing.B, topic string, partitions int32, each, size int, more ...kgo.Opt) replayScene {
	b.Helper()
	s := replayScene{broker: throughputBroker(b), topic: topic, gapctl: program(b, "github.com/gapctl/gapctl")}
	s.broker.CreateTopic(topic, partitions, nil)
	client := s.broker.Client(append(more, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(100_000), kgo.ProducerLinger(5*time.Millisecond))...)
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	filler := someText()
	for i := range each {
		for partition := range partitions {
			value := fmt.Appendf(make([]byte, 0, size), "%d of %d ", i, partition)
			from := rand.IntN(len(filler) - size)
			value = append(value, filler[from:from+max(0, size-len(value))]...)
			client.Produce(ctx, &kgo.Record{Topic: topic, Partition: partition, Value: value}, func(_ *kgo.Record, err error) {
				if err != nil {
					b.Error(err)
				}
			})
		}
	}
	if err := client.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	return s
}

// someText is hexadecimal digits: they compress to half.
func someText() []byte {
	raw := make([]byte, 1<<19)
	rand.NewChaCha8([32]byte{}).Read(raw) // it does not fail
	return hex.AppendEncode(nil, raw)
}

func (s replayScene) inBothOrders(b *testing.B, partitions int32, state codec.State) {
	for _, order := range []string{"partition", "arrival"} {
		b.Run(order, func(b *testing.B) {
			peak, took := 0, time.Duration(0)
			for run := 0; b.Loop(); run++ {
				group := fmt.Sprintf("%s-%s-%d", s.topic, order, run)
				s.broker.CreateTopic(group, partitions, nil)
				s.commitGroup(b, group, partitions, state)
				cmd := s.replay(b, group, "--order", order)
				start := time.Now()
				peak = max(peak, peakOf(b, cmd))
				took += time.Since(start)
			}
			boardLine{what: strings.TrimPrefix(b.Name(), "Benchmark"), ours: shortTime(took / time.Duration(b.N)),
				other: fmt.Sprintf("peak %d MiB", peak>>10)}.note()
			b.ReportMetric(float64(peak)/1024, "peak-MiB")
			b.ReportMetric(took.Seconds()/float64(b.N), "s/replay")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// commitGroup gives the group that state in every partition.
func (s replayScene) commitGroup(b *testing.B, group string, partitions int32, state codec.State) {
	b.Helper()
	await(b, group, func() error { return s.commit(b.Context(), group, partitions, state) })
	await(b, group, func() error { return s.committed(b.Context(), group) })
}

// replay is the command that replays the group to the topic of its name.
func (s replayScene) replay(b *testing.B, group string, more ...string) *exec.Cmd {
	cmd := exec.Command(s.gapctl, append([]string{"replay", group, "--to-topic", group, "--execute", "--yes", "-b", s.broker.Addr()}, more...)...)
	cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+b.TempDir())
	return cmd
}

// committed is nil once the group's coordinator shows the commits.
func (s replayScene) committed(ctx context.Context, group string) error {
	offsets, err := kadm.NewClient(s.broker.Client()).FetchOffsets(ctx, group)
	if err == nil && len(offsets.Offsets()) == 0 {
		err = errors.New("nothing is committed yet")
	}
	return err
}

func (s replayScene) commit(ctx context.Context, group string, partitions int32, state codec.State) error {
	native, err := openNative(ctx, s.broker, group, s.topic, partitions)
	if err != nil {
		return err
	}
	return errors.Join(native.commitAll(ctx, state), native.close(ctx))
}
