package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// sceneRecords is how many records each partition of a scene has, and
// scenePartitions how many partitions each topic.
const sceneRecords, scenePartitions = 20, 2

// brokerScene is groups with gaps on some broker, and where gapctl keeps its
// journal of them.
type brokerScene struct {
	t    *testing.T
	addr string
	dir  string
}

func newBrokerScene(t *testing.T, addr string) *brokerScene {
	return &brokerScene{t: t, addr: addr, dir: t.TempDir()}
}

func (s *brokerScene) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(s.addr)}, extra...)...)
}

func (s *brokerScene) client(extra ...kgo.Opt) *kgo.Client {
	s.t.Helper()
	client, err := s.dial(extra...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(client.Close)
	return client
}

// topic makes a topic and, if asked, fills it: record i of a partition has the
// key "key-i".
func (s *brokerScene) topic(name string, records int) {
	s.t.Helper()
	client := s.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if _, err := kadm.NewClient(client).CreateTopic(s.t.Context(), scenePartitions, 1, nil, name); err != nil {
		s.t.Fatalf("topic %s: %v", name, err)
	}
	var all []*kgo.Record
	for i := range records {
		for partition := range int32(scenePartitions) {
			all = append(all, &kgo.Record{Topic: name, Partition: partition, Key: fmt.Appendf(nil, "key-%d", i), Value: []byte("value")})
		}
	}
	if err := client.ProduceSync(s.t.Context(), all...).FirstErr(); err != nil {
		s.t.Fatalf("fill %s: %v", name, err)
	}
}

// gapCommit commits, from outside, all below 15 but 3-5 and 9, as Parallel
// Consumer writes it.
func (s *brokerScene) gapCommit(group, topic string) {
	s.t.Helper()
	gaps, err := codec.ParseRanges("3-5,9")
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := codec.Encode(codec.State{Stable: 3, Max: 15, Gaps: gaps}, "parallel-consumer", "")
	if err != nil {
		s.t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	for partition := range int32(scenePartitions) {
		offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: out.Committed, LeaderEpoch: -1, Metadata: out.Metadata})
	}
	if err := kadm.NewClient(s.client()).CommitAllOffsets(s.t.Context(), group, offsets); err != nil {
		s.t.Fatalf("commit for %s: %v", group, err)
	}
}

// nativeGroup has gapstore's own consumer process all below 15 but 3-5 and 9.
func (s *brokerScene) nativeGroup(group, topic string) error {
	s.t.Helper()
	c, err := gapstore.NewConsumer(s.t.Context(), s.dial, gapstore.ConsumerOptions{
		Group: group, Topics: []string{topic}, Native: gapstore.NativeOptions{Partitions: scenePartitions},
	})
	if err != nil {
		return err
	}
	for left := scenePartitions * sceneRecords; left > 0; {
		records, err := c.Poll(s.t.Context(), left)
		if err != nil {
			s.t.Fatal(err)
		}
		left -= len(records)
		for _, r := range records {
			if r.Offset < 15 && r.Offset != 9 && (r.Offset < 3 || r.Offset > 5) {
				c.Done(r)
			}
		}
	}
	return c.Close(s.t.Context())
}

// copied waits until a read-committed consumer has got n records of a topic.
func (s *brokerScene) copied(topic string, n int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	client := s.client(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	got := 0
	for got < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			s.t.Fatalf("%d of %d records of %s: %v", got, n, topic, err)
		}
		got += fetches.NumRecords()
	}
	if got != n {
		s.t.Errorf("%s has %d records, want %d", topic, got, n)
	}
}

// run runs a command, given as a line without quotes in which DIR is the scene's
// directory. Whatever the broker lacks, it is told once, and in plain words.
func (s *brokerScene) run(line string) reply {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	code, out, errs := runWith(ctx, map[string]string{
		"GAPCTL_BOOTSTRAP_SERVER": s.addr, "XDG_STATE_HOME": s.dir, "GAPCTL_CONFIG": filepath.Join(s.dir, "config.yaml"),
	}, strings.Fields(strings.ReplaceAll(line, "DIR", s.dir))...)
	s.t.Logf("%s => %d\n%s%s", line, code, out, errs)
	for _, raw := range []string{"UNSUPPORTED_VERSION", "too old", "unsupported version", "request key"} {
		if strings.Contains(out+errs, raw) {
			s.t.Errorf("%s: %q is no help", line, raw)
		}
	}
	if n := strings.Count(errs, lacks); n > 1 {
		s.t.Errorf("%s: what the broker lacks is told %d times", line, n)
	}
	return reply{code, out, errs}
}

// lacks is in the sentence that tells which feature a broker does not have.
const lacks = ", which Apache Kafka has since "

// want runs a command and checks what it says.
func (s *brokerScene) want(line string, code int, texts ...string) {
	s.t.Helper()
	s.run(line).want(s.t, code, texts...)
}

// undo takes back the repair that was told last.
func (s *brokerScene) undo(told reply) {
	s.t.Helper()
	_, rest, _ := strings.Cut(told.out+told.errs, "gapctl undo ")
	id, _, _ := strings.Cut(rest, " ")
	s.want("undo "+id+" --execute --yes", exitOK)
}
