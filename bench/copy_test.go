package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// BenchmarkReplay replays one gap per partition to another topic, against plain
// loops that consume as much and produce it in transactions of the same size: one
// that writes the bare records, and one whose copies say where they come from,
// as those of a replay do, in headers that take more than small records.
func BenchmarkReplay(b *testing.B) {
	for _, shape := range []struct {
		name       string
		each, size int // records of a partition, bytes of a value
		codec      kgo.CompressionCodec
	}{
		{"small", 250_000, 100, kgo.SnappyCompression()},
		{"1KB", 100_000, 1000, kgo.NoCompression()},
		{"1KB-zstd", 100_000, 1000, kgo.ZstdCompression()},
		{"100KB", 1500, 100_000, kgo.NoCompression()},
	} {
		b.Run(shape.name, func(b *testing.B) { compareCopies(b, shape.each, shape.size, shape.codec) })
	}
}

func compareCopies(b *testing.B, each, size int, compression kgo.CompressionCodec) {
	const partitions = 4
	scene := newReplayScene(b, "dense", partitions, each, size, kgo.ProducerBatchCompression(compression))
	bare := program(b, "./barecopy")
	state := codec.State{Max: int64(each), Gaps: codec.NewRanges(codec.Range{Start: 0, End: int64(each) - 1})}
	state = state.Normalize()
	runs := 0
	target := func() string {
		runs++
		to := fmt.Sprint("copies-", runs)
		scene.broker.CreateTopic(to, partitions, nil)
		return to
	}
	records := strconv.Itoa(partitions * (each - 1))
	loop := func(name string, more ...string) *contender {
		return &contender{name: name, command: func() *exec.Cmd {
			return exec.Command(bare, append([]string{scene.broker.Addr(), scene.topic, target(), records}, more...)...)
		}}
	}
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd {
			group := target()
			scene.commitGroup(b, group, partitions, state)
			return scene.replay(b, group)
		}},
		loop("plain-loop"), loop("loop-with-headers", "headers"),
	}
	inTurn(b, contenders...)
	report(b, contenders...)
}
