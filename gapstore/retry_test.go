package gapstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A record that fails for the last time is a dead letter, with the headers of
// KIP-1191; until then it comes again, and goes nowhere else.
func TestRetryUntilDead(t *testing.T) {
	w, _ := newRetrying(t, 1, Retry{Attempts: 3})
	arrived := time.UnixMilli(1_700_000_000_000)
	records := keyed("a1", "b1", "a2")
	records[1].Timestamp, records[1].Headers = arrived, []kgo.RecordHeader{{Key: "trace", Value: []byte("7")}}
	w.send(w.topic, records...)
	c := w.join(w.options())
	for i, want := range [][]string{{"a1", "b1", "a2"}, {"b1"}, {"b1"}} {
		values, records := w.next(c, len(want))
		if !equal(values, want...) {
			t.Fatalf("round %d: %v", i, values)
		}
		if b1 := records[len(records)/2]; !b1.Timestamp.Equal(arrived) {
			t.Errorf("round %d: arrived %s", i, b1.Timestamp)
		} else if o, ok := OriginOf(b1); ok && o != (Origin{w.group, w.topic, 0, 1, int64(i)}) {
			t.Errorf("round %d: %+v", i, o)
		}
		w.judge(c, records, "b1")
		w.mustCommit(c)
	}
	w.nothing(c)
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	dead := w.committedRecords(w.topic + "-dead")
	if len(dead) != 1 || string(dead[0].Value) != "b1" || string(dead[0].Key) != "b" || !dead[0].Timestamp.Equal(arrived) {
		t.Fatalf("dead letters: %v", dead)
	}
	want := map[string]string{CopiedTopic: w.topic, CopiedPartition: "0", CopiedOffset: "1", CopiedGroup: w.group,
		CopiedDeliveries: "3", CopiedMessage: "no luck", "trace": "7"}
	for key, value := range want {
		if got, _ := HeaderOf(dead[0], key); string(got) != value {
			t.Errorf("%s: %q", key, got)
		}
	}
	if len(dead[0].Headers) != len(want) {
		t.Errorf("headers: %v", dead[0].Headers)
	}
	if got := w.committedValues(w.topic + "-out"); !equal(got, "a1", "a2") {
		t.Errorf("outputs: %v", got)
	}
	if got := w.committedValues(w.topic + "-retry"); !equal(got, "b1", "b1") {
		t.Errorf("retries: %v", got)
	}
	w.allDone()
}

// Without an order, a retry comes when it is due, and holds nothing up.
func TestRetryWithoutOrder(t *testing.T) {
	w, _ := newRetrying(t, 1, Retry{Delay: func(n int) time.Duration {
		return []time.Duration{100 * time.Millisecond, time.Hour}[n-1]
	}})
	w.send(w.topic, keyed("a1", "a2", "b1")...)
	c := w.join(w.options())
	_, records := w.next(c, 3)
	w.judge(c, records, "a1")
	w.mustCommit(c)
	values, records := w.next(c, 1)
	if due, _ := numberIn(records[0], RetryDue); !equal(values, "a1") || time.Now().UnixMilli() < due {
		t.Errorf("delivered %v, too early", values)
	}
	w.judge(c, records, "a1")
	w.mustCommit(c)
	w.send(w.topic, keyed("a3")...)
	if values, records = w.next(c, 1); !equal(values, "a3") {
		t.Errorf("delivered %v", values)
	}
	w.judge(c, records)
	w.nothing(c)
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := w.committedValues(w.topic + "-out"); !equal(got, "a2", "b1", "a3") {
		t.Errorf("outputs: %v", got)
	}
}

// What is too large to be written is said at once, and changes nothing; so is an
// output without a topic.
func TestRetryRefusesWhatCanNotBeWritten(t *testing.T) {
	w, _ := newRetrying(t, 1, Retry{})
	w.send(w.topic, &kgo.Record{Key: []byte("big"), Value: make([]byte, nativeBatch-100)})
	c := w.join(w.options())
	_, records := w.next(c, 1)
	if err := c.Fail(records[0], errors.New("no luck")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("fail: %v", err)
	}
	if err := c.Finish(records[0], &kgo.Record{Topic: "any", Value: make([]byte, nativeBatch)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("finish: %v", err)
	}
	if err := c.Finish(records[0], &kgo.Record{}); err == nil {
		t.Error("an output without a topic")
	}
	w.mustCommit(c)
	c.crash()
	c = w.join(w.options())
	_, records = w.next(c, 1) // again
	c.Done(records...)
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	w.allDone()
}

// Options that can not be are refused before anything is joined.
func TestRetryOptions(t *testing.T) {
	w, _ := newRetrying(t, 2, Retry{Attempts: 2})
	compacted := "compact"
	cl, err := w.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).CreateTopics(t.Context(), 2, 1, map[string]*string{"cleanup.policy": &compacted}, "orders-compacted"); err != nil {
		t.Fatal(err)
	}
	for why, change := range map[string]func(*ConsumerOptions){
		"not of 2":          func(o *ConsumerOptions) { o.Topics = append(o.Topics, "more") },
		"must be three":     func(o *ConsumerOptions) { o.Retry.Topic = w.topic },
		"dead-letter topic": func(o *ConsumerOptions) { o.Retry.DeadLetter = "" },
		"no such retry":     func(o *ConsumerOptions) { o.Retry.Order = 4 },
		"can not be kept":   func(o *ConsumerOptions) { o.Retry.Order, o.Sharing = OrderBlockPartition, ByKey },
		"by block":          func(o *ConsumerOptions) { o.Retry.Order, o.Sharing = OrderBlockKey, ByBlock },
		"UNKNOWN_TOPIC":     func(o *ConsumerOptions) { o.Retry.DeadLetter = "nowhere" },
		"only the last":     func(o *ConsumerOptions) { o.Retry.Topic = "orders-compacted" },
	} {
		o := w.options()
		change(&o)
		if c, err := NewConsumer(t.Context(), w.dial, o); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
			if err == nil {
				c.crash()
			}
		}
	}
}

// A partition whose retry partition is lacking is not consumed, and Poll says so.
func TestRetryNeedsAsManyPartitions(t *testing.T) {
	w, _ := newWork(t, 2, 0)
	w.makeTopics(1, "orders-retry")
	r := retryingOf(w, Retry{})
	c := w.join(r.options())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Poll(ctx, 0); err == nil || !strings.Contains(err.Error(), "orders/1 is not consumed: topic orders-retry has too few partitions: 1") {
		t.Errorf("poll: %v", err)
	}
	records := keyed("a1", "b1")
	records[1].Partition = 1
	w.send(w.topic, records...)
	if values, _ := w.next(c, 1); !equal(values, "a1") {
		t.Errorf("delivered %v", values)
	}
	w.nothing(c)
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
