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
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

const (
	togetherWork    = 20 * time.Millisecond // for each record
	togetherMembers = 8
	togetherTime    = 8 * time.Second // measured, with more records there than can be done
	togetherEvery   = 250 * time.Millisecond
)

// tally is what the members of one group have done.
type tally struct {
	records         atomic.Int64
	commits, spent  atomic.Int64 // and the nanoseconds of commits
	measuring       atomic.Bool
	stop            chan struct{}
	members, joined sync.WaitGroup
}

// do is the work of one record.
func (y *tally) do() {
	time.Sleep(togetherWork)
	if y.measuring.Load() {
		y.records.Add(1)
	}
}

// BenchmarkTogether is 8 members, each of which does one record at a time, 20 ms
// long, of 2 partitions: in a group whose partitions have one member each, in
// ones that share them, and in a share group of the broker's own. What a commit
// costs is to be compared where as many members commit: with a partition for
// each. The records come once all members are there.
func BenchmarkTogether(b *testing.B) {
	broker := throughputBroker(b)
	broker.NeedVersion(4, 1)
	for _, contender := range []struct {
		name       string
		partitions int32
		join       func(b *testing.B, broker *kafkatest.Broker, topic string, y *tally)
	}{
		{"whole", 2, members(gapstore.Whole)}, {"by-key", 2, members(gapstore.ByKey)}, {"by-block", 2, members(gapstore.ByBlock)},
		{"share-group", 2, shareMember}, {"whole-8-partitions", togetherMembers, members(gapstore.Whole)},
	} {
		b.Run(contender.name, func(b *testing.B) {
			var records, commits, spent int64
			round := 0
			for b.Loop() {
				round++
				y := together(b, broker, fmt.Sprint("together-", contender.name, "-", round), contender.partitions, contender.join)
				records, commits, spent = records+y.records.Load(), commits+y.commits.Load(), spent+y.spent.Load()
			}
			b.ReportMetric(float64(records)/togetherTime.Seconds()/float64(round), "records/s")
			b.ReportMetric(float64(spent)/float64(max(1, commits))/1e6, "ms/commit")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// together is one measurement.
func together(b *testing.B, broker *kafkatest.Broker, topic string, partitions int32, join func(*testing.B, *kafkatest.Broker, string, *tally)) *tally {
	broker.CreateTopic(topic, partitions, nil)
	y := &tally{stop: make(chan struct{})}
	for range togetherMembers {
		y.joined.Add(1)
		y.members.Go(func() { join(b, broker, topic, y) })
	}
	y.joined.Wait()
	time.Sleep(5 * time.Second) // for the group to come to rest
	fillKeyed(b, broker, topic, partitions)
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

// members are those of a gapstore group.
func members(sharing gapstore.Sharing) func(*testing.B, *kafkatest.Broker, string, *tally) {
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
			y.commits.Add(1)
			y.spent.Add(int64(time.Since(begin)))
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
	fromTheStart(b, broker, topic)
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

func fromTheStart(b *testing.B, broker *kafkatest.Broker, group string) {
	value := "earliest"
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = "share.auto.offset.reset", &value
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.Configs = kmsg.ConfigResourceTypeGroupConfig, group, []kmsg.IncrementalAlterConfigsRequestResourceConfig{config}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, r)
	if _, err := req.RequestWith(context.Background(), broker.Client()); err != nil {
		b.Error(err)
	}
}
