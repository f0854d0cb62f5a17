package codec

import "encoding/binary"

// NativePartition is the partition of [NativeTopic] that holds all records of
// a group: Kafka's default partitioning of the group's name. partitions is how
// many the topic has, at least 1.
func NativePartition(group string, partitions int32) int32 {
	return (Murmur2([]byte(group)) & 0x7fffffff) % partitions
}

// Murmur2 is the hash with which Kafka's default partitioner spreads keys
// (org.apache.kafka.common.utils.Utils.murmur2).
func Murmur2(data []byte) int32 {
	const m, shift = 0x5bd1e995, 24
	h := uint32(0x9747b28c) ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> shift
		h = h*m ^ k*m
	}
	if len(data) > 0 {
		for i, b := range data {
			h ^= uint32(b) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 13
	h *= m
	return int32(h ^ h>>15)
}
