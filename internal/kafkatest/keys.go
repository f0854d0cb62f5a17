package kafkatest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// JavaKey is what the Java producer does with a key.
type JavaKey struct {
	Key  []byte `json:"key"`
	Hash int64  `json:"hash"` // Utils.toPositive(Utils.murmur2(key))
	// Partitions are where it goes, by the number of partitions
	// (BuiltInPartitioner.partitionForKey).
	Partitions map[int32]int32 `json:"partitions"`
	// Sent is where it went, when it was sent.
	Sent *struct {
		Partition int32
		Offset    int64
	} `json:"sent,omitempty"`
}

// JavaKeys asks the Java producer's own partitioner about count keys, which the
// seed decides, and numbers of partitions. It needs no broker, only Java and
// Maven, and skips as Require does.
func JavaKeys(t testing.TB, seed int64, count int, partitions ...int32) []JavaKey {
	t.Helper()
	Require(t)
	return runKeys(t, seed, count, partitions)
}

// SendJavaKeys is JavaKeys, and the Java producer sends a record of each key to
// the topic.
func (b *Broker) SendJavaKeys(topic string, seed int64, count int, partitions ...int32) []JavaKey {
	b.t.Helper()
	return runKeys(b.t, seed, count, partitions, "--bootstrap", b.Addr(), "--topic", topic)
}

func runKeys(t testing.TB, seed int64, count int, partitions []int32, more ...string) []JavaKey {
	t.Helper()
	built, err := build("clients", DefaultVersion)
	if err != nil {
		unavailable(t, err)
	}
	numbers := make([]string, len(partitions))
	for i, n := range partitions {
		numbers[i] = strconv.Itoa(int(n))
	}
	args := append([]string{
		"--seed", strconv.FormatInt(seed, 10), "--count", strconv.Itoa(count), "--partitions", strings.Join(numbers, ","),
	}, more...)
	cmd := exec.CommandContext(t.Context(), "java", javaArgs(built, "io.github.gapctl.interop.KeyRun", args)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kafkatest: KeyRun: %v\n%s", err, tail(complaints.String(), 40))
	}
	var keys []JavaKey
	for line := range bytes.Lines(out) {
		var key JavaKey
		if err := json.Unmarshal(line, &key); err != nil {
			t.Fatalf("kafkatest: KeyRun printed %q: %v", line, err)
		}
		keys = append(keys, key)
	}
	return keys
}
