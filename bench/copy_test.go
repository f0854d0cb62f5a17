package bench

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

const copyPartitions = 4

// copyShape is a topic that is copied.
type copyShape struct {
	name       string
	each, size int   // records of a partition, bytes of a value
	every      int64 // each record, or one in so many, is a gap
	codec      kgo.CompressionCodec
}

// BenchmarkReplay replays gaps to another topic: all records, or few of them. It
// is compared with what copies topics: plain loops that produce in transactions
// of the same size, one that writes the bare records, and one whose copies say
// where they come from, as those of a replay do, in headers that take more than
// small records; kcat, a consumer piped into a producer; and, for one shape, as
// it takes long to start, MirrorMaker. The latter two copy without transactions,
// and always everything.
func BenchmarkReplay(b *testing.B) {
	for _, shape := range []copyShape{
		{"small", 250_000, 100, 1, kgo.SnappyCompression()},
		{"1KB", 50_000, 1000, 1, kgo.NoCompression()},
		{"1KB-gzip", 50_000, 1000, 1, kgo.GzipCompression()},
		{"1KB-lz4", 50_000, 1000, 1, kgo.Lz4Compression()},
		{"1KB-zstd", 50_000, 1000, 1, kgo.ZstdCompression()},
		{"100KB", 400, 100_000, 1, kgo.NoCompression()},
		{"1KB-sparse", 100_000, 1000, 1000, kgo.NoCompression()},
	} {
		b.Run(shape.name, func(b *testing.B) { compareCopies(b, shape) })
	}
}

// state has as gaps what is to be copied; the last record is done.
func (s copyShape) state() codec.State {
	var gaps []codec.Range
	for at := int64(0); at < int64(s.each)-1; at += s.every {
		gaps = append(gaps, codec.Range{Start: at, End: at + 1})
	}
	return codec.State{Max: int64(s.each), Gaps: codec.NewRanges(gaps...)}.Normalize()
}

func compareCopies(b *testing.B, shape copyShape) {
	scene := newReplayScene(b, "orders", copyPartitions, shape.each, shape.size, kgo.ProducerBatchCompression(shape.codec))
	bare := program(b, "./barecopy")
	state := shape.state()
	least := copyPartitions * state.Outstanding() // copies
	runs := 0
	target := func() string {
		runs++
		to := fmt.Sprint("copies-", runs)
		scene.broker.CreateTopic(to, copyPartitions, nil)
		return to
	}
	into := map[string]string{} // the last target of each
	loop := func(name string, more ...string) *contender {
		return &contender{name: name, command: func() *exec.Cmd {
			into[name] = target()
			args := []string{"-every", strconv.FormatInt(shape.every, 10), scene.broker.Addr(), scene.topic, into[name], strconv.Itoa(copyPartitions * (shape.each - 1))}
			return exec.Command(bare, append(more, args...)...)
		}}
	}
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd {
			group := target()
			into["gapctl"] = group
			scene.commitGroup(b, group, copyPartitions, state)
			return scene.replay(b, group)
		}},
		loop("plain-loop"), loop("loop-with-headers", "-headers"),
	}
	if kcat := kcatCopy(b, scene, func() string { into["kcat"] = target(); return into["kcat"] }); kcat != nil {
		contenders = append(contenders, kcat)
	}
	if shape.name == "1KB" {
		contenders = append(contenders, mirrorCopy(b, scene, int64(copyPartitions*shape.each)))
	}
	inTurn(b, contenders...)
	admin := kadm.NewClient(scene.broker.Client())
	for name, topic := range into {
		if n := endOf(b, admin, topic); n < least {
			b.Errorf("%s has copied %d records, want %d", name, n, least)
		}
	}
	report(b, contenders...)
}
