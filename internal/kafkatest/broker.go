package kafkatest

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const answerTimeout = time.Minute // for one request to a broker on a busy machine

// Broker is a running Apache Kafka as one test sees it: its failures are that
// test's failures, and its clients are closed when that test ends.
type Broker struct {
	t testing.TB
	*server
	bootstrap string // HOST:PORT,… of all brokers, where there are more
}

// Start starts a broker for this test alone and returns when it answers. The
// broker ends with the test; when the test failed, the end of the server log
// follows. It skips as Require does, and fails the test if the broker can't run.
func Start(t testing.TB, opts ...Option) *Broker {
	t.Helper()
	Require(t)
	s, err := newServer(newSettings(opts))
	if err != nil {
		unavailable(t, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.logTail())
		}
		s.close()
	})
	if err := s.startFresh(); err != nil {
		t.Fatal(err)
	}
	return &Broker{t: t, server: s}
}

// Addr is the host:port to bootstrap from, and HOST:PORT,… in a [Cluster]. It
// survives Restart.
func (b *Broker) Addr() string { return cmp.Or(b.bootstrap, b.addr()) }

func (b *Broker) seeds() kgo.Opt { return kgo.SeedBrokers(strings.Split(b.Addr(), ",")...) }

// Version is the Apache Kafka version that runs.
func (b *Broker) Version() string { return b.settings.version }

// NeedVersion skips the test when the broker is older than the given release, so
// that one suite can run against every version.
func (b *Broker) NeedVersion(major, minor int) {
	b.t.Helper()
	var hasMajor, hasMinor int
	if _, err := fmt.Sscanf(b.Version(), "%d.%d", &hasMajor, &hasMinor); err != nil {
		b.t.Fatalf("kafkatest: version %q: %v", b.Version(), err)
	}
	if hasMajor < major || hasMajor == major && hasMinor < minor {
		b.t.Skipf("needs Apache Kafka %d.%d or later, this is %s", major, minor, b.Version())
	}
}

// Client is a client of this broker, closed when the test ends.
func (b *Broker) Client(opts ...kgo.Opt) *kgo.Client {
	b.t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{b.seeds()}, opts...)...)
	if err != nil {
		b.t.Fatalf("kafkatest: client: %v", err)
	}
	b.t.Cleanup(client.Close)
	return client
}

// CreateTopic creates a topic and returns once every partition has a leader.
func (b *Broker) CreateTopic(name string, partitions int32, configs map[string]string) {
	b.t.Helper()
	values := make(map[string]*string, len(configs))
	for key, value := range configs {
		values[key] = &value
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	admin, done := b.admin()
	defer done()
	if _, err := admin.CreateTopic(ctx, partitions, -1, values, name); err != nil {
		b.t.Fatalf("kafkatest: create topic %s: %v", name, err)
	}
	b.await(ctx, "leaders of "+name, func() bool {
		topics, err := admin.ListTopics(ctx, name)
		return err == nil && topics[name].Err == nil && ledEverywhere(topics[name].Partitions, partitions)
	})
}

// ConfigureGroup sets configurations of a group, of any type but classic.
func (b *Broker) ConfigureGroup(group string, configs map[string]string) {
	b.t.Helper()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	for name, value := range configs {
		c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		c.Name, c.Value = name, &value
		r.Configs = append(r.Configs, c)
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, r)
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	resp, err := req.RequestWith(ctx, b.Client())
	if err == nil {
		err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
	}
	if err != nil {
		b.t.Fatalf("kafkatest: configure group %s: %v", group, err)
	}
}

func ledEverywhere(details kadm.PartitionDetails, partitions int32) bool {
	if len(details) != int(partitions) {
		return false
	}
	for _, detail := range details {
		if detail.Err != nil || detail.Leader < 0 {
			return false
		}
	}
	return true
}

// Fill appends n records to every partition of an existing topic. Record i of a
// partition has the key "key-<i mod 10>" and the value "<topic>/<partition>@<i>".
func (b *Broker) Fill(topic string, partitions int32, n int, opts ...kgo.Opt) {
	b.t.Helper()
	opts = append(opts, b.seeds(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	client, err := kgo.NewClient(opts...)
	if err != nil {
		b.t.Fatalf("kafkatest: producer: %v", err)
	}
	defer client.Close()
	var records []*kgo.Record
	for partition := range partitions {
		for i := range n {
			records = append(records, &kgo.Record{
				Topic: topic, Partition: partition,
				Key:   []byte("key-" + strconv.Itoa(i%10)),
				Value: fmt.Appendf(nil, "%s/%d@%d", topic, partition, i),
			})
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		b.t.Fatalf("kafkatest: fill %s: %v", topic, err)
	}
}

// Stop shuts the broker down cleanly and returns when its process is gone.
func (b *Broker) Stop() {
	b.t.Helper()
	b.ownOnly("Stop")
	b.end(stopGrace)
}

// Kill ends the broker at once, with no chance to flush or to say goodbye.
func (b *Broker) Kill() {
	b.t.Helper()
	b.ownOnly("Kill")
	b.end(0)
}

// Restart starts the broker again on the same ports with the same data, after
// stopping it cleanly if it still runs, and returns when it answers.
func (b *Broker) Restart() {
	b.t.Helper()
	b.ownOnly("Restart")
	b.end(stopGrace)
	if err := b.start(); err != nil {
		b.t.Fatal(err)
	}
}

// ownOnly keeps one test from breaking the broker of all the others.
func (b *Broker) ownOnly(what string) {
	b.t.Helper()
	if b.settings.shared {
		b.t.Fatalf("kafkatest: %s on the shared broker: use Start for a broker of your own", what)
	}
}

// admin is an admin client for one call of this package, and what closes it.
func (b *Broker) admin() (*kadm.Client, func()) {
	b.t.Helper()
	client, err := kgo.NewClient(b.seeds())
	if err != nil {
		b.t.Fatalf("kafkatest: admin client: %v", err)
	}
	return kadm.NewClient(client), client.Close
}

// await polls until the condition holds, and fails the test when ctx ends first.
func (b *Broker) await(ctx context.Context, what string, holds func() bool) {
	b.t.Helper()
	if !poll(ctx, holds) {
		b.t.Fatalf("kafkatest: gave up waiting for %s", what)
	}
}

// poll tries every few milliseconds until the condition holds or ctx ends.
func poll(ctx context.Context, holds func() bool) bool {
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}
