package gapstore

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The headers that say where the copy of a record comes from: those that Kafka
// gives a record in a dead-letter topic (KIP-1191). Their values are text.
const (
	CopiedPrefix     = "__dlq.errors."
	CopiedTopic      = CopiedPrefix + "topic"
	CopiedPartition  = CopiedPrefix + "partition"
	CopiedOffset     = CopiedPrefix + "offset"
	CopiedGroup      = CopiedPrefix + "group"
	CopiedDeliveries = CopiedPrefix + "delivery.count" // 0 where it is not known
	CopiedMessage    = CopiedPrefix + "message"
)

// Origin is the record that a copy stands for.
type Origin struct {
	// Group gave the record up, or has yet to process it; "": not known.
	Group     string
	Topic     string
	Partition int32
	Offset    int64
	// Deliveries is how often it was delivered, and failed; 0: not known.
	Deliveries int64
}

// OriginOf is what the headers of r say; false when they do not.
func OriginOf(r *kgo.Record) (Origin, bool) {
	topic, hasTopic := HeaderOf(r, CopiedTopic)
	group, _ := HeaderOf(r, CopiedGroup)
	partition, hasPartition := numberIn(r, CopiedPartition)
	offset, hasOffset := numberIn(r, CopiedOffset)
	deliveries, _ := numberIn(r, CopiedDeliveries)
	if !hasTopic || !hasPartition || !hasOffset || partition < 0 || partition > math.MaxInt32 || offset < 0 {
		return Origin{}, false
	}
	return Origin{string(group), string(topic), int32(partition), offset, max(0, deliveries)}, true
}

// HeaderOf is the value of the last header of that key.
func HeaderOf(r *kgo.Record, key string) ([]byte, bool) {
	for i := len(r.Headers) - 1; i >= 0; i-- {
		if r.Headers[i].Key == key {
			return r.Headers[i].Value, true
		}
	}
	return nil, false
}

// HeaderNumber reads the value of a header: text, or a big-endian integer.
func HeaderNumber(value []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n, true
	}
	switch len(value) {
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value))), true
	case 8:
		return int64(binary.BigEndian.Uint64(value)), true
	}
	return 0, false
}

// numberIn is [HeaderNumber] of the last header of that key.
func numberIn(r *kgo.Record, key string) (int64, bool) {
	value, _ := HeaderOf(r, key)
	return HeaderNumber(value)
}

// bare is the origin without what does not tell copies of one group apart.
func (o Origin) bare() Origin {
	o.Group = ""
	return o
}
