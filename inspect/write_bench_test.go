package inspect

import (
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// bigSnapshot is groups with partitions of gaps each.
func bigSnapshot(groups, partitions, gaps int) Snapshot {
	now := time.Date(2026, 3, 14, 3, 12, 0, 0, time.UTC)
	s := Snapshot{ClusterID: "bench", TakenAt: now}
	for g := range groups {
		group := Group{Name: fmt.Sprintf("group-%04d", g), Type: "classic", State: "Empty"}
		for p := range partitions {
			group.Partitions = append(group.Partitions, samplePartition(group.Name, int32(p), gaps, now))
		}
		s.Groups = append(s.Groups, group)
	}
	return s
}

func samplePartition(group string, partition int32, gaps int, now time.Time) Partition {
	var rs []codec.Range
	for i := range int64(gaps) {
		rs = append(rs, codec.Range{Start: 1_000_000 + i*7, End: 1_000_002 + i*7})
	}
	state := codec.State{Stable: 1_000_000, Max: 1_000_000 + int64(gaps)*7, Gaps: codec.NewRanges(rs...)}
	return Partition{
		Entry: &gapstore.Entry{
			Key: gapstore.Key{Group: group, Topic: "orders", Partition: partition}, Committed: 1_000_000,
			Home: gapstore.HomeCommit, Format: "parallel-consumer", Encoding: "run-length-v1",
			State: state, Size: 512, SizeLimit: 4096,
		},
		LogStart: 10, LogEnd: 2_000_000, LastStable: 2_000_000, OldestGapAt: now.Add(-3*time.Hour - 12*time.Minute),
	}
}

func BenchmarkWriteDescribe(b *testing.B) {
	shapes := []struct {
		name                     string
		groups, partitions, gaps int
	}{{"1000x30", 1000, 30, 10}, {"1x30000", 1, 30000, 10}, {"1000x30/100gaps", 1000, 30, 100}}
	for _, shape := range shapes {
		s := bigSnapshot(shape.groups, shape.partitions, shape.gaps)
		for _, output := range []Output{OutputTable, OutputWide, OutputJSON, OutputCSV} {
			b.Run(shape.name+"/"+string(output), func(b *testing.B) {
				for b.Loop() {
					if err := Write(io.Discard, output, NewDescribeView(s), Style{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWriteDescribeToPipe is what describe --all does once it has gathered,
// for somebody who reads as fast as he can.
func BenchmarkWriteDescribeToPipe(b *testing.B) {
	s := bigSnapshot(300, 100, 78)
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	var read sync.WaitGroup
	read.Go(func() {
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Error(err)
		}
	})
	for b.Loop() {
		if err := Write(w, OutputTable, NewDescribeView(s), Style{}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	read.Wait()
}
