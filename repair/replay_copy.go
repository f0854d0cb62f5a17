package repair

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// The headers of a copy: those that Kafka gives a record in a dead-letter topic
// (KIP-1191), and how often it was replayed. Their values are text.
const (
	dlqPrefix        = "__dlq.errors."
	headerTopic      = dlqPrefix + "topic"
	headerPartition  = dlqPrefix + "partition"
	headerOffset     = dlqPrefix + "offset"
	headerGroup      = dlqPrefix + "group"
	headerDeliveries = dlqPrefix + "delivery.count" // 0 where it is not known
	headerMessage    = dlqPrefix + "message"
	headerReplays    = "__gapctl.replay.count"

	addedHeaders  = 7
	replayMessage = "Replayed by gapctl: " // and the record's state
)

// copyOf is the copy of a record: its key, value, headers and timestamp, with
// the headers that say where it comes from.
func copyOf(r *inspect.Record, to Replay) *kgo.Record {
	headers := make([]kgo.RecordHeader, 0, len(r.Headers)+addedHeaders)
	for _, h := range r.Headers {
		if !strings.HasPrefix(h.Key, dlqPrefix) && h.Key != headerReplays { // of an earlier replay
			headers = append(headers, h)
		}
	}
	// The values share one piece of memory: there may be millions of copies.
	values, from := make([]byte, 0, 64+len(r.Topic)+len(r.Group)+len(replayMessage)+len(r.State)), 0
	add := func(key string) {
		headers = append(headers, kgo.RecordHeader{Key: key, Value: values[from:len(values):len(values)]})
		from = len(values)
	}
	values = append(values, r.Topic...)
	add(headerTopic)
	values = strconv.AppendInt(values, int64(r.Partition), 10)
	add(headerPartition)
	values = strconv.AppendInt(values, r.Offset, 10)
	add(headerOffset)
	values = append(values, r.Group...)
	add(headerGroup)
	values = strconv.AppendInt(values, int64(max(0, r.Deliveries)), 10)
	add(headerDeliveries)
	values = append(append(values, replayMessage...), r.State...)
	add(headerMessage)
	values = strconv.AppendInt(values, replays(r.Record)+1, 10)
	add(headerReplays)
	c := &kgo.Record{Topic: to.ToTopic, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: headers, Timestamp: r.Timestamp}
	if to.Repartition {
		c.Partition = -1
	}
	return c
}

// header is the value of the last header of that key.
func header(r *kgo.Record, key string) ([]byte, bool) {
	for i := len(r.Headers) - 1; i >= 0; i-- {
		if r.Headers[i].Key == key {
			return r.Headers[i].Value, true
		}
	}
	return nil, false
}

// replays is how often r was replayed before.
func replays(r *kgo.Record) int64 {
	value, _ := header(r, headerReplays)
	n, _ := number(value)
	return max(0, n)
}

// number reads a header's number: text, or a big-endian integer.
func number(value []byte) (int64, bool) {
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

// originOf is the record that a record of a dead-letter topic stands for, and
// the group that gave it up; false when its headers do not say.
func originOf(r *kgo.Record) (group string, at gapstore.Target, ok bool) {
	name, hasTopic := header(r, headerTopic)
	in, _ := header(r, headerGroup)
	partition, hasPartition := numberOf(r, headerPartition)
	offset, hasOffset := numberOf(r, headerOffset)
	if !hasTopic || !hasPartition || !hasOffset || partition < 0 || partition > 1<<31-1 || offset < 0 {
		return "", gapstore.Target{}, false
	}
	at = gapstore.Target{Topic: string(name), Partition: int32(partition), Ranges: codec.NewRanges(codec.Range{Start: offset, End: offset + 1})}
	return string(in), at, true
}

func numberOf(r *kgo.Record, key string) (int64, bool) {
	value, _ := header(r, key)
	return number(value)
}
