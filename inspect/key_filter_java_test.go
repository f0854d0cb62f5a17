package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// What the Java producer does with keys, as it told itself.
const (
	javaKeysFile  = "../testdata/golden/java-keys.jsonl"
	javaKeysSeed  = 1
	javaKeysCount = 60
)

var javaKeysPartitions = []int32{1, 2, 3, 7, 12, 50, 1000}

// checkJavaKeys: the filter hashes each key as the Java producer does, and
// looks for it in the partition that it is sent to, and in no other.
func checkJavaKeys(t *testing.T, keys []kafkatest.JavaKey, count int) {
	t.Helper()
	if len(keys) != count {
		t.Fatalf("%d keys, want %d", len(keys), count)
	}
	for _, key := range keys {
		if got := keyHash(key.Key); got != key.Hash {
			t.Errorf("key %x: hash %d, want %d", key.Key, got, key.Hash)
		}
		f := KeyFilter{Keys: [][]byte{key.Key}}
		if len(key.Partitions) != len(javaKeysPartitions) {
			t.Fatalf("key %x: %v", key.Key, key.Partitions)
		}
		for n, want := range key.Partitions {
			for p := range n {
				if f.canHold(p, n) != (p == want) {
					t.Errorf("key %x: partition %d of %d, want only %d", key.Key, p, n, want)
				}
			}
		}
	}
}

func TestKeyFilterJavaVectors(t *testing.T) {
	data, err := os.ReadFile(javaKeysFile)
	if err != nil {
		t.Fatal(err)
	}
	var keys []kafkatest.JavaKey
	for line := range strings.Lines(string(data)) {
		var key kafkatest.JavaKey
		if err := json.Unmarshal([]byte(line), &key); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		keys = append(keys, key)
	}
	checkJavaKeys(t, keys, javaKeysCount)
}

// The golden keys are what the Java producer says today, and others fit as well.
func TestKafkaKeyFilterJavaVectors(t *testing.T) {
	var told []byte
	for _, key := range kafkatest.JavaKeys(t, javaKeysSeed, javaKeysCount, javaKeysPartitions...) {
		line, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		told = append(append(told, line...), '\n')
	}
	if *update {
		if err := os.WriteFile(javaKeysFile, told, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(javaKeysFile)
	if err != nil || !bytes.Equal(kept, told) {
		t.Errorf("%s is not what the Java producer says (%v)", javaKeysFile, err)
	}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	checkJavaKeys(t, kafkatest.JavaKeys(t, seed, 500, javaKeysPartitions...), 500)
}

// A record that the Java producer has sent is found by its key, in the one
// partition that is read for it.
func TestKafkaRecordsByKey(t *testing.T) {
	const topic, partitions, count = "records-by-key", 7, 200
	broker := kafkatest.Shared(t)
	broker.CreateTopic(topic, partitions, nil)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	sent := broker.SendJavaKeys(topic, seed, count, partitions)
	var ends [partitions]int64
	for _, key := range sent {
		ends[key.Sent.Partition] = max(ends[key.Sent.Partition], key.Sent.Offset+1)
	}
	var offsets kadm.Offsets
	for p, end := range ends {
		all := codec.State{Max: end + 1, Gaps: codec.NewRanges(codec.Range{End: end})}
		encoded, err := codec.Encode(all, "parallel-consumer", "run-length-v2")
		if err != nil {
			t.Fatal(err)
		}
		offsets.Add(kadm.Offset{Topic: topic, Partition: int32(p), At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	}
	if err := kadm.NewClient(broker.Client()).CommitAllOffsets(t.Context(), topic, offsets); err != nil {
		t.Fatal(err)
	}
	store, err := gapstore.Open(t.Context(), dialer(broker.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := Gather(t.Context(), store, Query{Groups: []string{topic}, SkipAges: true})
	if err != nil {
		t.Fatal(err)
	}
	g := group(t, s, topic)
	for _, key := range sent[:40] {
		q := RecordQuery{Keys: KeyFilter{Keys: [][]byte{key.Key}}}
		if targets := q.Targets(t.Context(), store, g); len(targets) != 1 || targets[0].Partition != key.Sent.Partition {
			t.Errorf("key %x: reads %v, want partition %d alone", key.Key, targets, key.Sent.Partition)
		}
		var found []string
		for piece, err := range ReadRecords(t.Context(), store, g, q) {
			if err != nil {
				t.Fatal(err)
			}
			if piece.Record != nil {
				found = append(found, fmt.Sprintf("%d@%d %x", piece.Record.Partition, piece.Record.Offset, piece.Record.Key))
			}
		}
		if want := fmt.Sprintf("%d@%d %x", key.Sent.Partition, key.Sent.Offset, key.Key); !slices.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}
