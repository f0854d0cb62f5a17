package lab

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// Sample is one group of the lab.
type Sample struct {
	// Name is the group's.
	Name string
	// Summary says in one sentence what there is to see.
	Summary string
}

// Samples are the lab's groups, in the order in which they are worth a look.
func Samples() []Sample {
	var out []Sample
	for _, s := range samples(Now()) {
		out = append(out, s.Sample)
	}
	return out
}

// sample is a group, and what makes it.
type sample struct {
	Sample
	// commits are made while the group is empty.
	commits []commit
	// consumer makes it a group of the new protocol (KIP-848).
	consumer bool
	// prepare, where not nil, is a method that comes before the commits.
	prepare func(*seeder, context.Context) error
}

// commit is one partition's commit: a state in a format, or bare metadata.
type commit struct {
	topic     string
	partition int32
	// format writes the state [stable,max) without gaps, which are ranges as
	// [codec.ParseRanges] reads them. "" commits stable with metadata.
	format      string
	stable, max int64
	gaps        string
	metadata    string
	// cut leaves the chunks of a native commit out.
	cut bool
	// slot is that of a native commit; Kafka's offset is committed with slot 0.
	slot uint32
}

// The groups with something special about them.
const (
	liveGroup   = "checkout"
	shareGroup  = "email-sender"
	orphanGroup = "coupons"
)

// samples are the groups as of now.
func samples(now time.Time) []sample {
	return slices.Concat(parallelConsumerSamples(), otherFormatSamples(), troubledSamples(), plainSamples(now))
}

// parallelConsumerSamples begin with the case that plain tools get most wrong.
func parallelConsumerSamples() []sample {
	const format = "parallel-consumer"
	return []sample{
		{Sample: Sample{"billing", "Parallel Consumer on three partitions: plain tools print LAG 1113, but 31 records are outstanding."},
			commits: []commit{
				{topic: "orders", partition: 0, format: format, stable: 820, max: 1204, gaps: "820,833-836,901,977-982,1104"},
				{topic: "orders", partition: 1, format: format, stable: 821, max: 1187, gaps: "821-825,850,903-905,1100-1101"},
				{topic: "orders", partition: 2, format: format, stable: 833, max: 1196, gaps: "833,840-842,1011-1013"},
			}},
		{Sample: Sample{"search-index", "Parallel Consumer with 4,000 gaps in one partition: every third of the last 12,000 records."},
			commits: []commit{{topic: "clicks", format: format, stable: 11000, max: 23000, gaps: everyThird(11000, 23000)}}},
		{Sample: Sample{"fraud-scoring", "Parallel Consumer near the limit: thousands of irregular gaps take 3,800 of 4,096 characters."},
			commits: []commit{{topic: "clicks", format: format, stable: 240, max: 23000, gaps: irregular(240, 23000)}}},
		{Sample: Sample{liveGroup, "A consumer is running: the group has a member, so it can not be repaired."},
			consumer: true,
			commits: []commit{
				{topic: "payments", partition: 0, format: format, stable: 598, max: 640, gaps: "598,611-612"},
				{topic: "payments", partition: 1, stable: 655},
			}},
		{Sample: Sample{"inventory", "A group of the new consumer protocol (KIP-848), empty now, with gaps."},
			consumer: true,
			commits: []commit{
				{topic: "orders", partition: 0, format: format, stable: 1100, max: 1150, gaps: "1100-1104,1120"},
				{topic: "orders", partition: 1, format: format, stable: 1090, max: 1160, gaps: "1090"},
				{topic: "orders", partition: 2, stable: 1196},
			}},
	}
}

func otherFormatSamples() []sample {
	return []sample{
		{Sample: Sample{"loyalty-points", "Greyhound: Kafka's committed offset is the high mark, and the gaps lie behind it."},
			commits: []commit{
				{topic: "payments", partition: 0, format: "greyhound", stable: 600, max: 640, gaps: "600-603,617"},
				{topic: "payments", partition: 1, format: "greyhound", stable: 655, max: 655},
			}},
		{Sample: Sample{"recommendations", "Pyrallel Consumer: the metadata lists what is done instead of what is not."},
			commits: []commit{
				{topic: "payments", partition: 0, format: "pyrallel", stable: 577, max: 640, gaps: "577-580,601"},
				{topic: "payments", partition: 1, format: "pyrallel", stable: 620, max: 655, gaps: "620,622,625-626,631,640-644"},
			}},
		{Sample: Sample{"warehouse", "Native: gaps in a compacted topic of their own, without a limit on their number; two members share a partition."},
			commits: []commit{
				{topic: "clicks", partition: 0, format: nativeFormat, stable: 9000, max: 23000, gaps: irregular(9000, 23000)},
				{topic: "payments", partition: 0, format: nativeFormat, stable: 610, max: 624, gaps: "610,617-619"},
				{topic: "payments", partition: 0, format: nativeFormat, slot: 1, stable: 610, max: 640, gaps: "610-623,632"},
				{topic: "payments", partition: 1, format: nativeFormat, stable: 655, max: 655},
			}},
		{Sample: Sample{shareGroup, "A share group (KIP-932): records accepted, rejected, and released up to four times."},
			prepare: (*seeder).deliverEmails},
	}
}

// troubledSamples have something wrong with them, one thing each.
func troubledSamples() []sample {
	const format = "parallel-consumer"
	return []sample{
		{Sample: Sample{"audit-export", "Lost: retention has removed the log below 700, and some gaps lie there."},
			commits: []commit{{topic: "audit-log", format: format, stable: 610, max: 900, gaps: "610-612,655,688-690,701-703,750"}}},
		{Sample: Sample{"ledger", "Phantoms: gaps over transaction markers and an aborted transaction, which never close by themselves."},
			prepare: (*seeder).transfers,
			commits: []commit{{topic: "transfers", format: format, stable: 3, max: 17, gaps: "3,8-12,14"}}},
		{Sample: Sample{"settlement", "An open transaction: read-committed consumers get nothing from 20 on until it ends."},
			prepare: (*seeder).settlements,
			commits: []commit{{topic: "settlements", format: format, stable: 12, max: 20, gaps: "12,15"}}},
		{Sample: Sample{"notifications", "Undecodable: one partition's metadata is a zstd frame cut short; the other two are right."},
			commits: []commit{
				{topic: "orders", partition: 0, format: format, stable: 1190, max: 1204, gaps: "1190-1191,1200"},
				{topic: "orders", partition: 1, stable: 1101, metadata: cutShort()},
				{topic: "orders", partition: 2, format: format, stable: 1150, max: 1190, gaps: "1150,1177"},
			}},
		{Sample: Sample{"returns", "Not canonical: the committed offset itself is recorded as done, so it should have moved on."},
			commits: []commit{{topic: "payments", partition: 1, stable: 630, metadata: doneAtStart()}}},
		{Sample: Sample{"stock-sync", "Beyond the log end: the topic was made anew and is shorter than what was committed."},
			commits: []commit{{topic: "stock", format: format, stable: 410, max: 470, gaps: "410-412,433"}}},
		{Sample: Sample{"pricing", "Native with a chunk missing: what it held would look done, so the gaps are refused."},
			commits: []commit{
				{topic: "orders", partition: 0, format: nativeFormat, stable: 1170, max: 1200, gaps: "1170-1172,1188"},
				{topic: "orders", partition: 1, format: nativeFormat, stable: 1160, max: 1187, gaps: "1160,1175-1179", cut: true},
			}},
		{Sample: Sample{orphanGroup, "An orphan: the topic was deleted while the commit was in an open transaction."},
			prepare: (*seeder).orphan},
	}
}

// plainSamples hold no gaps.
func plainSamples(now time.Time) []sample {
	stream := streamTime(now.Add(-30 * time.Second))
	return []sample{
		{Sample: Sample{"shipping", "A plain consumer group: no metadata, no gaps, six records behind."},
			commits: []commit{
				{topic: "orders", partition: 0, stable: 1204},
				{topic: "orders", partition: 1, stable: 1187},
				{topic: "orders", partition: 2, stable: 1190},
			}},
		{Sample: Sample{"sales-dashboard", "Kafka Streams: its metadata is a stream time, not gaps."},
			commits: []commit{
				{topic: "orders", partition: 0, stable: 1204, metadata: stream},
				{topic: "orders", partition: 1, stable: 1187, metadata: stream},
				{topic: "orders", partition: 2, stable: 1196, metadata: stream},
			}},
		{Sample: Sample{"legacy-import", "Free text of another client: shown as it is, never taken for gaps."},
			commits: []commit{{topic: "payments", stable: 512, metadata: "imported by db-7, batch 2217"}}},
	}
}

func everyThird(start, end int64) string {
	var gaps []codec.Range
	for offset := start; offset < end-1; offset += 3 {
		gaps = append(gaps, codec.Range{Start: offset, End: offset + 1})
	}
	return codec.NewRanges(gaps...).String()
}

// irregular is gaps that no encoding makes small: each record is outstanding
// with a chance of one half, by a generator with a fixed seed.
func irregular(start, end int64) string {
	random := rand.New(rand.NewPCG(17, 4096))
	gaps := []codec.Range{{Start: start, End: start + 1}}
	for offset := start + 1; offset < end-1; offset++ {
		if random.IntN(2) == 0 {
			gaps = append(gaps, codec.Range{Start: offset, End: offset + 1})
		}
	}
	return codec.NewRanges(gaps...).String()
}

// cutShort is metadata with Parallel Consumer's magic for a compressed bit set,
// and a zstd frame that ends within its header.
func cutShort() string { return base64.StdEncoding.EncodeToString([]byte("s\x28\xb5\x2f\xfd\x00")) }

// doneAtStart is Parallel Consumer's run-length metadata of 4 done, 2 not, 3
// done. Parallel Consumer takes base and map at different moments, so a commit
// can show it.
func doneAtStart() string {
	return base64.StdEncoding.EncodeToString([]byte{'n', 0, 0, 0, 4, 0, 2, 0, 3})
}

// streamTime is the metadata of Kafka Streams' StreamTask, version 1.
func streamTime(t time.Time) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64([]byte{1}, uint64(t.UnixMilli())))
}
