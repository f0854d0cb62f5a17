package gapstore

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// retrying is work whose records may fail: a topic with its retry topic, its
// dead-letter topic and an output topic.
type retrying struct {
	*work
	retry Retry
}

func newRetrying(t testing.TB, partitions int32, retry Retry) (*retrying, *kfake.Cluster) {
	t.Helper()
	w, cluster := newWork(t, partitions, 0)
	w.makeTopics(partitions, w.topic+"-retry", w.topic+"-dead", w.topic+"-out")
	return retryingOf(w, retry), cluster
}

func retryingOf(w *work, retry Retry) *retrying {
	retry.Topic = w.topic + "-retry"
	if retry.Attempts > 0 {
		retry.DeadLetter = w.topic + "-dead"
	}
	return &retrying{w, retry}
}

func (w *work) makeTopics(partitions int32, names ...string) {
	w.t.Helper()
	cl, err := w.dial()
	if err != nil {
		w.t.Fatal(err)
	}
	defer cl.Close()
	made, err := kadm.NewClient(cl).CreateTopics(w.t.Context(), partitions, 1, nil, names...)
	if err != nil || made.Error() != nil {
		w.t.Fatal(err, made.Error())
	}
}

func (w *retrying) options(client ...kgo.Opt) ConsumerOptions {
	o := w.work.options(client...)
	retry := w.retry
	o.Retry = &retry
	return o
}

// send writes records into the partitions that they name.
func (w *work) send(topic string, records ...*kgo.Record) {
	w.t.Helper()
	cl, err := w.dial(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		w.t.Fatal(err)
	}
	defer cl.Close()
	for _, r := range records {
		r.Topic = topic
	}
	if err := cl.ProduceSync(context.WithoutCancel(w.t.Context()), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
}

// keyed are records whose values are names, and whose keys the first letters.
func keyed(names ...string) (records []*kgo.Record) {
	for _, name := range names {
		records = append(records, &kgo.Record{Key: []byte(name[:1]), Value: []byte(name)})
	}
	return records
}

// next is the values of the next n records, and the records.
func (w *work) next(c *Consumer, n int) (values []string, records []*kgo.Record) {
	w.t.Helper()
	records = w.poll(c, n)
	for _, r := range records {
		values = append(values, string(r.Value))
	}
	return values, records
}

// nothing checks that there is no record to process for now.
func (w *work) nothing(c *Consumer) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 300*time.Millisecond)
	defer cancel()
	if records, err := c.Poll(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		w.t.Errorf("%d records, error %v", len(records), err)
	}
}

func (w *work) mustCommit(c *Consumer) {
	w.t.Helper()
	if err := c.Commit(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// committedValues are the values that read-committed readers get of a topic, by
// partition and in order.
func (w *work) committedValues(topic string) (values []string) {
	w.t.Helper()
	for _, r := range w.committedRecords(topic) {
		values = append(values, string(r.Value))
	}
	return values
}

func (w *work) committedRecords(topic string) (records []*kgo.Record) {
	w.t.Helper()
	s := openStore(w.t, w.addrs...)
	defer s.Close()
	topics, err := s.Topics(w.t.Context(), []string{topic})
	if err == nil {
		err = topics[topic].Err
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var numbers []int32
	for p := range topics[topic].Logs {
		numbers = append(numbers, int32(p))
	}
	awaitEnd(w.t, "transactions to end", func() bool {
		s.Ends(w.t.Context(), topics, map[string][]int32{topic: numbers})
		return !slices.ContainsFunc(topics[topic].Logs, func(l Log) bool { return l.Err != nil || l.LastStable != l.End })
	})
	for p, log := range topics[topic].Logs {
		at := Position{Topic: topic, ID: topics[topic].ID, Partition: int32(p), Offset: log.Start}
		for r, err := range s.readThrough(w.t.Context(), log.Leader, &at, log.End, committedOnly) {
			if err != nil {
				w.t.Fatal(err)
			}
			records = append(records, r)
		}
	}
	return records
}

// judge fails those records that fails names, and finishes the other records.
func (w *retrying) judge(c *Consumer, records []*kgo.Record, fails ...string) {
	w.t.Helper()
	for _, r := range records {
		var err error
		if slices.Contains(fails, string(r.Value)) {
			err = c.Fail(r, errors.New("no luck"))
		} else {
			err = c.Finish(r, &kgo.Record{Topic: w.topic + "-out", Key: r.Key, Value: r.Value})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func equal(got []string, want ...string) bool { return slices.Equal(got, want) }

// allDone checks that nothing is outstanding: not in the topic, nor in the retry
// topic.
func (w *retrying) allDone() {
	w.t.Helper()
	for _, e := range w.settled() {
		if e.Err != nil || e.State.Outstanding() != 0 {
			w.t.Errorf("%s: outstanding %s, error %v", e.Key, e.State.Gaps, e.Err)
		}
	}
}
