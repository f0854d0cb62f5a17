package codec

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// goldenRecord is one record of an internal topic, as a broker wrote it.
type goldenRecord struct {
	Key, Value []byte
	Partition  int32
}

const goldenFolder = "../testdata/golden/"

// readLines reads a file of testdata/golden, one JSON value per line.
func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(goldenFolder + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(out), err)
	}
	return out
}

// TestGoldenShareGroup folds the share-group state that a broker (Kafka 4.4)
// wrote while a share consumer ran, and compares it with the broker's own
// answer to ReadShareGroupState.
func TestGoldenShareGroup(t *testing.T) {
	type answer struct {
		Partition    int32
		StateEpoch   int32
		StartOffset  int64
		StateBatches []struct {
			FirstOffset, LastOffset int64
			DeliveryState           int8
			DeliveryCount           int16
		}
	}
	var fold ShareFold
	for _, r := range readLines[goldenRecord](t, "kafka-4.4/__share_group_state.jsonl") {
		if err := fold.Apply(r.Key, r.Value); err != nil {
			t.Fatal(err)
		}
	}
	got := map[int32]ShareState{}
	for key, s := range fold.All() {
		if key.Group == "share-billing" {
			got[key.Partition] = s
		}
	}
	answers := readLines[answer](t, "kafka-4.4/share-billing.read_share_group_state.jsonl")
	if len(got) != len(answers) {
		t.Fatalf("%d share partitions, the broker has %d", len(got), len(answers))
	}
	for _, a := range answers {
		var want []Delivery
		for _, b := range a.StateBatches {
			want = append(want, Delivery{Range{b.FirstOffset, b.LastOffset + 1}, DeliveryState(b.DeliveryState), b.DeliveryCount})
		}
		s, ok := got[a.Partition]
		if !ok || s.StartOffset != a.StartOffset || s.StateEpoch != a.StateEpoch || !slices.Equal(s.Batches, want) {
			t.Errorf("partition %d: %+v\nthe broker says start %d, epoch %d, %+v", a.Partition, s, a.StartOffset, a.StateEpoch, want)
		}
		checkDeliveryComplete(t, s)
	}
}

// checkDeliveryComplete compares the broker's own count of finished offsets
// with what the batches say.
func checkDeliveryComplete(t *testing.T, s ShareState) {
	t.Helper()
	var finished int64
	for _, d := range s.State().Delivery {
		if d.State.Terminal() {
			finished += d.Len()
		}
	}
	if finished != int64(s.DeliveryComplete) {
		t.Errorf("%d offsets are finished, the broker counts %d", finished, s.DeliveryComplete)
	}
}

// TestGoldenParallelConsumer reads the commits of the real Parallel Consumer
// from a broker's __consumer_offsets (Kafka 4.4). In the run every record
// whose offset 37 divides failed for ever, and all others succeeded.
func TestGoldenParallelConsumer(t *testing.T) {
	last := map[int32]OffsetCommit{}
	for _, r := range readLines[goldenRecord](t, "kafka-4.4/__consumer_offsets.jsonl") {
		c, err := DecodeOffsetCommit(r.Key, r.Value)
		if err != nil {
			continue // group metadata; a commit that is not read is missed below
		}
		if c.Group == "pc-billing" && c.Topic == "orders" && !c.Tombstone {
			last[c.Partition] = c
		}
	}
	if len(last) != 3 {
		t.Fatalf("commits of %d partitions, want 3", len(last))
	}
	for partition, c := range last {
		d, err := Decode(c.Metadata, c.Offset)
		if err != nil || d.Format != "parallel-consumer" || c.TopicID == [16]byte{} {
			t.Fatalf("partition %d: %+v, %+v, %v", partition, c, d, err)
		}
		var want []Range
		for offset := int64(0); offset < d.State.Max; offset += 37 {
			want = append(want, Range{offset, offset + 1})
		}
		if len(want) < 3 || !d.State.Gaps.Equal(NewRanges(want...)) || d.State.Check() != nil {
			t.Errorf("partition %d: stable %d, max %d, gaps %s, want %s", partition, d.State.Stable, d.State.Max, d.State.Gaps, NewRanges(want...))
		}
	}
}
