package inspect

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// hashes is the number of hashes of keys: murmur2 without its sign, as Kafka's
// default partitioner uses it.
const hashes = 1 << 31

// KeyFilter chooses records by their keys. A record is chosen when any part of
// the filter fits; the zero value chooses all.
type KeyFilter struct {
	// Keys are whole keys.
	Keys [][]byte
	// Hashes are ranges of the keys' 31-bit murmur2 hash.
	Hashes codec.Ranges
	// NoKey chooses the records that have none.
	NoKey bool
	// Partitioner is how the producers choose partitions: one of
	// [Partitioners], "" is the first.
	Partitioner string
}

// All reports whether the filter chooses every record.
func (f *KeyFilter) All() bool { return len(f.Keys) == 0 && f.Hashes.Empty() && !f.NoKey }

// Match reports whether the filter chooses r.
func (f *KeyFilter) Match(r *kgo.Record) bool {
	switch {
	case f.All():
		return true
	case r.Key == nil:
		return f.NoKey
	case slices.ContainsFunc(f.Keys, func(k []byte) bool { return bytes.Equal(k, r.Key) }):
		return true
	}
	return !f.Hashes.Empty() && f.Hashes.Contains(keyHash(r.Key))
}

// keyHash is the 31-bit murmur2 hash of a key (Utils.toPositive).
func keyHash(key []byte) int64 { return int64(codec.Murmur2(key) & 0x7fffffff) }

// canHold reports whether a partition of a topic with that many can hold records
// that the filter chooses. Records that were written before the topic got more
// partitions, or to a partition that the producer named, lie elsewhere.
func (f *KeyFilter) canHold(partition, partitions int32) bool {
	if len(f.Keys) == 0 || !f.Hashes.Empty() || f.NoKey || partitions <= 0 {
		return true
	}
	return slices.ContainsFunc(f.Keys, func(key []byte) bool {
		at := KeyPartition(f.Partitioner, key, partitions)
		return at < 0 || at == partition
	})
}

// Partitioners are the ways in which producers choose the partition of a key:
// murmur2 that of Kafka's Java client and most others, crc32 that of
// librdkafka (consistent), fnv1a that of Sarama; any is none of them.
func Partitioners() []string { return []string{"murmur2", "crc32", "fnv1a", "any"} }

// KeyPartition is the partition to which producers send the key, of a topic with
// so many partitions; -1: any. The partitioner is one of [Partitioners], "" the
// first.
func KeyPartition(partitioner string, key []byte, partitions int32) int32 {
	switch partitioner {
	case "", "murmur2":
		return int32(keyHash(key)) % partitions
	case "crc32":
		return int32(crc32.ChecksumIEEE(key) % uint32(partitions))
	case "fnv1a":
		h := fnv.New32a()
		_, _ = h.Write(key) // it never fails
		at := int32(h.Sum32()) % partitions
		return max(at, -at) // as Sarama: the sign goes after the division
	}
	return -1
}

// ParseHashes reads a range of hashes, both ends included, such as "0-1073741823".
func ParseHashes(text string) (codec.Ranges, error) {
	ranges, err := codec.ParseRanges(text)
	if err == nil && (ranges.Empty() || ranges.Bounds().End > hashes) {
		err = fmt.Errorf("want 0 to %d", hashes-1)
	}
	if err != nil {
		return codec.Ranges{}, fmt.Errorf("%q: %w", text, err)
	}
	return ranges, nil
}

// ParseShard reads "1/4" as the first of four equal parts of the hashes.
func ParseShard(text string) (codec.Ranges, error) {
	part, of, ok := strings.Cut(text, "/")
	i, errI := strconv.ParseInt(part, 10, 32)
	n, errN := strconv.ParseInt(of, 10, 32)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return codec.Ranges{}, fmt.Errorf("%q: want a part such as 1/4, up to 4/4", text)
	}
	return codec.NewRanges(codec.Range{Start: (i - 1) * hashes / n, End: i * hashes / n}), nil
}
