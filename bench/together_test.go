package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

const (
	togetherWork  = 20 * time.Millisecond // for each record
	togetherTime  = 8 * time.Second       // measured, with more records there than can be done
	togetherEvery = 250 * time.Millisecond
)

// tally is what the members of one group have done.
type tally struct {
	records         atomic.Int64
	measuring       atomic.Bool
	stop            chan struct{}
	members, joined sync.WaitGroup

	mu      sync.Mutex
	commits []time.Duration
}

// do is the work of one record.
func (y *tally) do() {
	time.Sleep(togetherWork)
	if y.measuring.Load() {
		y.records.Add(1)
	}
}

// sharers is one way for 8 members to consume a topic, and what came of it.
type sharers struct {
	name       string
	partitions int32
	members    int // how often join is called
	join       func(b *testing.B, broker *kafkatest.Broker, topic string, y *tally)

	measured time.Duration
	records  int64
	commits  []time.Duration
}

// BenchmarkTogether is 8 members, each of which does one record at a time, 20 ms
// long, of 2 partitions: in a group whose partitions have one member each, in
// ones that share them, in a share group of the broker's own, and 8 threads of
// Parallel Consumer. What a commit costs is to be compared where as many members
// commit: with a partition for each. The records come once all members are there.
// All take turns, and a first round is not counted, in which the broker warms up.
func BenchmarkTogether(b *testing.B) {
	broker := throughputBroker(b)
	broker.NeedVersion(4, 1)
	all := []*sharers{
		{name: "whole", partitions: 2, members: 8, join: member(gapstore.Whole)},
		{name: "by-key", partitions: 2, members: 8, join: member(gapstore.ByKey)},
		{name: "by-block", partitions: 2, members: 8, join: member(gapstore.ByBlock)},
		{name: "whole-8-partitions", partitions: 8, members: 8, join: member(gapstore.Whole)},
		{name: "share-group", partitions: 2, members: 8, join: shareMember},
		{name: "parallel-consumer", partitions: 2, members: 1, join: parallelConsumer},
	}
	round := 0
	everyone := func() {
		for _, s := range all {
			y := together(b, broker, fmt.Sprint("together-", s.name, "-", round), s)
			if round > 0 {
				s.add(y)
			}
		}
		round++
	}
	everyone()
	for b.Loop() {
		everyone()
	}
	reportTogether(b, all)
}

// reportTogether compares those that share, in records with all that do the same
// work, and in commits with as many members that have a partition each.
func reportTogether(b *testing.B, all []*sharers) {
	alone, shared, wide, others := all[0], all[1:3], all[3], all[4:]
	for _, s := range shared {
		for _, other := range append([]*sharers{alone}, others...) {
			boardLine{"8 members, 2 partitions, " + s.name + ": records", fmt.Sprintf("%.0f/s", s.rate()), other.name, fmt.Sprintf("%.0f/s", other.rate()), timesOf(s.rate() / other.rate())}.note()
		}
		b.ReportMetric(s.rate()/alone.rate(), s.name+"-records-of-"+alone.name)
		boardLine{"8 members, 2 partitions, " + s.name + ": a commit", fmt.Sprintf("%.2f ms", s.commit()), wide.name, fmt.Sprintf("%.2f ms", wide.commit()), timesOf(s.commit() / wide.commit())}.note()
		b.ReportMetric(s.commit()/wide.commit(), s.name+"-commit-of-"+wide.name)
	}
	b.ReportMetric(0, "ns/op")
}

func (s *sharers) add(y *tally) {
	s.measured += togetherTime
	s.records += y.records.Load()
	s.commits = append(s.commits, y.commits...)
}

// rate is the records a second.
func (s *sharers) rate() float64 { return float64(s.records) / s.measured.Seconds() }

// commit is the milliseconds of the median one.
func (s *sharers) commit() float64 {
	return slices.Sorted(slices.Values(s.commits))[len(s.commits)/2].Seconds() * 1e3
}

// together is one measurement.
func together(b *testing.B, broker *kafkatest.Broker, topic string, s *sharers) *tally {
	broker.CreateTopic(topic, s.partitions, nil)
	y := &tally{stop: make(chan struct{})}
	for range s.members {
		y.joined.Add(1)
		y.members.Go(func() { s.join(b, broker, topic, y) })
	}
	y.joined.Wait()
	time.Sleep(5 * time.Second) // for the group to come to rest
	fillKeyed(b, broker, topic, s.partitions)
	time.Sleep(2 * time.Second) // for all to be at work
	y.measuring.Store(true)
	time.Sleep(togetherTime)
	y.measuring.Store(false)
	close(y.stop)
	y.members.Wait()
	return y
}

func fillKeyed(b *testing.B, broker *kafkatest.Broker, topic string, partitions int32) {
	cl := broker.Client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	records := make([]*kgo.Record, 2*4000)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: int32(i) % partitions, Key: fmt.Append(nil, "customer ", i*7919%5003), Value: make([]byte, 100)}
	}
	if err := cl.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		b.Error(err)
	}
}

// member is one of a gapstore group.
func member(sharing gapstore.Sharing) func(*testing.B, *kafkatest.Broker, string, *tally) {
	return func(b *testing.B, broker *kafkatest.Broker, topic string, y *tally) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		go func() {
			<-y.stop
			stop()
		}()
		dial := func(extra ...kgo.Opt) (*kgo.Client, error) {
			return kgo.NewClient(append(slices.Clone(extra), kgo.SeedBrokers(broker.Addr()))...)
		}
		c, err := gapstore.NewConsumer(ctx, dial, gapstore.ConsumerOptions{Group: topic, Topics: []string{topic}, Sharing: sharing,
			Client: []kgo.Opt{kgo.HeartbeatInterval(500 * time.Millisecond)}})
		y.joined.Done()
		if err != nil {
			b.Error(err)
			return
		}
		go y.commit(ctx, c)
		for ctx.Err() == nil {
			records, _ := c.Poll(ctx, 10)
			for _, r := range records {
				if ctx.Err() != nil {
					break
				}
				y.do()
				c.Done(r)
			}
		}
		if err := c.Close(context.Background()); err != nil {
			b.Log(err)
		}
	}
}

// commit commits now and then; members do not do so in step.
func (y *tally) commit(ctx context.Context, c *gapstore.Consumer) {
	time.Sleep(rand.N(togetherEvery))
	for tick := time.Tick(togetherEvery); ctx.Err() == nil; <-tick {
		begin := time.Now()
		if err := c.Commit(ctx); err == nil && y.measuring.Load() {
			y.mu.Lock()
			y.commits = append(y.commits, time.Since(begin))
			y.mu.Unlock()
		}
	}
}

// shareMember is one of a share group (KIP-932).
func shareMember(b *testing.B, broker *kafkatest.Broker, topic string, y *tally) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		<-y.stop
		stop()
	}()
	broker.ConfigureGroup(topic, map[string]string{"share.auto.offset.reset": "earliest"})
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker.Addr()), kgo.ShareGroup(topic), kgo.ConsumeTopics(topic),
		kgo.ShareMaxRecords(10), kgo.ShareMaxRecordsStrict())
	y.joined.Done()
	if err != nil {
		b.Error(err)
		return
	}
	defer cl.Close()
	for ctx.Err() == nil {
		for _, r := range cl.PollRecords(ctx, 10).Records() {
			if ctx.Err() != nil {
				break
			}
			y.do()
			r.Ack(kgo.AckAccept)
		}
	}
}

// parallelConsumer is one whose 8 threads are the members, by key.
func parallelConsumer(b *testing.B, broker *kafkatest.Broker, topic string, y *tally) {
	pc := broker.StartPC(kafkatest.PCOptions{Group: topic, Topics: []string{topic}, Order: "key", Work: togetherWork, Idle: time.Minute})
	defer pc.Kill()
	y.joined.Done()
	done := func() (n int64) {
		for _, offsets := range pc.Processed() {
			n += int64(len(offsets))
		}
		return n
	}
	for !y.measuring.Load() {
		time.Sleep(5 * time.Millisecond)
	}
	before := done()
	<-y.stop
	y.records.Add(done() - before)
}
