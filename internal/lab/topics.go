package lab

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// topic is a topic of the samples and its records.
type topic struct {
	name string
	// ends are the log ends of its partitions: so many records each.
	ends []int64
	// step lies between one record and the next; the newest is a step old.
	step time.Duration
	// key and value are formats for the customer and for the offset.
	key, value string
	// start is where the log begins, for all partitions.
	start int64
}

func topics() []topic {
	return []topic{
		{name: "orders", ends: []int64{1204, 1187, 1196}, step: 30 * time.Second,
			key: "customer-%d", value: `{"order":%d,"status":"placed"}`},
		{name: "payments", ends: []int64{640, 655}, step: time.Minute,
			key: "customer-%d", value: `{"payment":%d,"currency":"EUR"}`},
		{name: "clicks", ends: []int64{23000}, step: time.Second,
			key: "visitor-%d", value: `{"click":%d}`},
		{name: "audit-log", ends: []int64{900}, start: 700, step: 5 * time.Minute,
			key: "user-%d", value: `{"event":%d,"action":"login"}`},
		{name: "emails", ends: []int64{60}, step: 20 * time.Second,
			key: "customer-%d", value: `{"email":%d,"template":"receipt"}`},
		{name: "stock", ends: []int64{150}, step: 10 * time.Second,
			key: "item-%d", value: `{"movement":%d}`},
		{name: "transfers", ends: []int64{0}, step: time.Minute,
			key: "account-%d", value: `{"transfer":%d}`},
		{name: "settlements", ends: []int64{20}, step: time.Minute,
			key: "account-%d", value: `{"settlement":%d}`},
		{name: "coupons-2025", ends: []int64{0}},
	}
}

// record is the record at an offset of a log with that end.
func (t topic) record(partition int32, offset, end int64, now time.Time) *kgo.Record {
	customer := (offset*37 + int64(partition)*11) % 97
	return &kgo.Record{
		Topic:     t.name,
		Partition: partition,
		Timestamp: now.Add(-time.Duration(end-offset) * t.step),
		Key:       fmt.Appendf(nil, t.key, customer),
		Value:     fmt.Appendf(nil, t.value, 10000*int64(partition+1)+offset),
	}
}
