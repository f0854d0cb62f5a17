package gapstore

import (
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The headers of a record on its way through a retry topic, beside those of
// every copy. Their values are milliseconds since the epoch, as text.
const (
	// RetryDue is when it is to be delivered again.
	RetryDue = "__gapctl.retry.due"
	// RetryArrived is the timestamp of the record that it stands for.
	RetryArrived = "__gapctl.retry.arrived"

	// failureLimit bounds what a copy tells of its cause, in bytes.
	failureLimit = 1 << 10
)

// originOf is the record that r, which this group was given, stands for: its
// headers say so on the retry topic only. Elsewhere they tell of some earlier
// copying.
func (r *Retry) originOf(of *kgo.Record) Origin {
	if of.Topic == r.Topic {
		if o, ok := OriginOf(of); ok {
			return o
		}
	}
	return Origin{Topic: of.Topic, Partition: of.Partition, Offset: of.Offset}
}

// copyOf is the copy of a record that has failed once more: for the retry topic,
// or for the dead-letter topic where it was the last time.
func (r *Retry) copyOf(failed *kgo.Record, group string, cause error, now time.Time) *kgo.Record {
	o := r.originOf(failed)
	o.Group = group
	o.Deliveries++
	c := &kgo.Record{Key: failed.Key, Value: failed.Value, Headers: r.headersOf(failed, o, cause)}
	if r.Attempts > 0 && o.Deliveries >= int64(r.Attempts) {
		c.Topic, c.Partition, c.Timestamp = r.DeadLetter, -1, failed.Timestamp
		return c
	}
	c.Topic, c.Partition, c.Timestamp = r.Topic, failed.Partition, now
	c.Headers = append(c.Headers,
		kgo.RecordHeader{Key: RetryDue, Value: decimal(now.UnixMilli() + r.delay(o.Deliveries))},
		kgo.RecordHeader{Key: RetryArrived, Value: decimal(failed.Timestamp.UnixMilli())})
	return c
}

func (r *Retry) headersOf(failed *kgo.Record, o Origin, cause error) []kgo.RecordHeader {
	headers := make([]kgo.RecordHeader, 0, len(failed.Headers)+8)
	for _, h := range failed.Headers {
		if !strings.HasPrefix(h.Key, CopiedPrefix) && h.Key != RetryDue && h.Key != RetryArrived {
			headers = append(headers, h)
		}
	}
	message := ""
	if cause != nil {
		message = cause.Error()
	}
	return append(headers,
		kgo.RecordHeader{Key: CopiedTopic, Value: []byte(o.Topic)},
		kgo.RecordHeader{Key: CopiedPartition, Value: decimal(int64(o.Partition))},
		kgo.RecordHeader{Key: CopiedOffset, Value: decimal(o.Offset)},
		kgo.RecordHeader{Key: CopiedGroup, Value: []byte(o.Group)},
		kgo.RecordHeader{Key: CopiedDeliveries, Value: decimal(o.Deliveries)},
		kgo.RecordHeader{Key: CopiedMessage, Value: []byte(strings.ToValidUTF8(message[:min(len(message), failureLimit)], ""))})
}

func decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// sizeInBatch is more than what r takes in a batch of its own.
func sizeInBatch(r *kgo.Record) int {
	const around, field = batchOverhead + 64, 10 // lengths, deltas and attributes
	size := around + len(r.Key) + len(r.Value)
	for _, h := range r.Headers {
		size += len(h.Key) + len(h.Value) + field
	}
	return size
}
