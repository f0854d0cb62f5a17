package inspect

import (
	"math/rand/v2"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// mapPartition is a partition of the scenes: gaps as [codec.ParseRanges] reads
// them, in a log that is known.
func mapPartition(number int32, stable, top int64, gaps string, start, end int64) Partition {
	rs, err := codec.ParseRanges(gaps)
	if err != nil {
		panic(err)
	}
	return Partition{
		Entry: &gapstore.Entry{
			Key: gapstore.Key{Group: "g", Topic: "orders", Partition: number}, Committed: stable, Format: "parallel-consumer",
			Home: gapstore.HomeCommit, State: codec.State{Stable: stable, Max: top, Gaps: rs},
		},
		LogStart: start, LogEnd: end, LastStable: end,
	}
}

func mapSnapshot(partitions ...Partition) Snapshot {
	now := time.Date(2026, 3, 14, 3, 12, 0, 0, time.UTC)
	for i := range partitions {
		if !partitions[i].State.Gaps.Empty() {
			partitions[i].OldestGapAt = now.Add(-time.Duration(i+1) * 17 * time.Minute)
		}
	}
	return Snapshot{ClusterID: "c", TakenAt: now, Groups: []Group{{Name: "billing", Type: "classic", State: "Empty", Partitions: partitions}}}
}

// troubleSnapshot has every kind that a map can show, and what it can not show.
func troubleSnapshot() Snapshot {
	few := mapPartition(0, 3, 8, "3,5-6", 0, 10)
	huge := mapPartition(1, 9_999_990_000, 9_999_999_000, "9999990000-9999990010,9999995000", 12, 10_000_000_000)
	behind := mapPartition(2, 500, 700, "500,600-649", 0, 5_000_000_000)
	lost := mapPartition(3, 610, 900, "610-612,655,688-690,701-703,750", 700, 900)
	phantom := mapPartition(4, 3, 17, "3,8-12,14", 0, 18)
	phantom.Phantoms = codec.NewRanges(codec.Range{Start: 8, End: 12})
	beyond := mapPartition(5, 120, 470, "120-130,410-412", 0, 150)
	rejected := mapPartition(6, 13, 40, "13-14", 0, 60)
	rejected.State.Delivery = []codec.Delivery{{Range: codec.Range{Start: 21, End: 22}, State: codec.Archived}, {Range: codec.Range{Start: 30, End: 31}, State: codec.Archived}}
	corrupt := mapPartition(7, 5, 5, "", 0, 9)
	corrupt.Err = &codec.Error{Class: codec.ErrCorrupt, Format: "parallel-consumer", Position: 1, Reason: "zstd: <unexpected> EOF & more"}
	return mapSnapshot(few, huge, behind, lost, phantom, beyond, rejected, corrupt, mapPartition(8, 1204, 1204, "", 0, 1204))
}

// manySnapshot has that many partitions with that many gaps in all, in logs of
// ten billion records. It is the same each time.
func manySnapshot(partitions, gaps int) Snapshot {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]Partition, partitions)
	for i := range list {
		const base = 10_000_000_000
		rs := make([]codec.Range, gaps/partitions)
		at := int64(base)
		for k := range rs {
			rs[k] = codec.Range{Start: at, End: at + 1 + random.Int64N(4)}
			at = rs[k].End + 1 + random.Int64N(8)
			if random.IntN(200) == 0 {
				at += random.Int64N(2000)
			}
		}
		list[i] = mapPartition(int32(i), base, at, "", 0, at+random.Int64N(1+at-base))
		list[i].State.Gaps = codec.NewRanges(rs...)
	}
	return mapSnapshot(list...)
}
