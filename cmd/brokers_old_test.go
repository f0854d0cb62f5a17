package cmd

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// posed is a broker that kfake poses as.
type posed struct {
	speaks *kversion.Versions
	// What it has: topic IDs (KIP-516), transactions under the group's
	// membership (KIP-447), and what tells who has one open, and its ID (KIP-664).
	ids, transacts, producers, named bool
}

// without takes requests from those that a release knows.
func without(v *kversion.Versions, keys ...kmsg.Key) *kversion.Versions {
	for _, key := range keys {
		v.SetMaxKeyVersion(key.Int16(), -1)
	}
	return v
}

// beside is Redpanda's protocol before it had topic IDs, and less: none of the
// requests that are for administrators of transactions.
func beside() *kversion.Versions {
	v := without(kversion.V3_0_0(), kmsg.DescribeProducers, kmsg.ListTransactions, kmsg.DescribeTransactions)
	v.SetMaxKeyVersion(kmsg.Metadata.Int16(), 8)
	v.SetMaxKeyVersion(kmsg.Fetch.Int16(), 11)
	v.SetMaxKeyVersion(kmsg.OffsetFetch.Int16(), 7)
	v.SetMaxKeyVersion(kmsg.FindCoordinator.Int16(), 3)
	v.SetMaxKeyVersion(kmsg.TxnOffsetCommit.Int16(), 3)
	return v
}

// TestOldBrokers: whatever a broker lacks, all that does not need it works.
func TestOldBrokers(t *testing.T) {
	t.Parallel()
	plain := without(kversion.V3_0_0(), kmsg.InitProducerID, kmsg.AddPartitionsToTxn, kmsg.AddOffsetsToTxn, kmsg.EndTxn,
		kmsg.TxnOffsetCommit, kmsg.DescribeProducers, kmsg.ListTransactions, kmsg.DescribeTransactions)
	for name, broker := range map[string]posed{
		"2.4": {speaks: kversion.V2_4_0()},
		"2.7": {speaks: kversion.V2_7_0(), transacts: true},
		"2.8": {speaks: kversion.V2_8_0(), ids: true, transacts: true, producers: true},
		"3.0": {kversion.V3_0_0(), true, true, true, true},
		"3.3": {kversion.V3_3_0(), true, true, true, true},
		"3.5": {kversion.V3_5_0(), true, true, true, true},
		"3.7": {kversion.V3_7_0(), true, true, true, true},

		"like Redpanda":        {speaks: beside(), transacts: true},
		"without transactions": {speaks: plain, ids: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.MaxVersions(broker.speaks))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			s := newBrokerScene(t, c.ListenAddrs()[0])
			s.topic("orders", sceneRecords)
			s.topic("retry", 0)
			s.gapCommit("billing", "orders")
			s.oldNative(broker)
			s.oldReads(broker)
			s.oldRepairs(broker)
		})
	}
}

// oldNative: the native format goes by topic IDs, and by transactions. Where
// there are none, nothing is left behind.
func (s *brokerScene) oldNative(broker posed) {
	s.t.Helper()
	err := s.nativeGroup("loyalty", "orders")
	if broker.ids && broker.transacts {
		if err != nil {
			s.t.Fatal(err)
		}
		s.want("describe loyalty", exitOK, "3-5,9", "native")
		s.want("skip loyalty orders/0@4 --execute --yes", exitOK, "applied")
		s.want("describe loyalty", exitOK, "3,5,9", "native")
		return
	}
	if !errors.Is(err, gapstore.ErrUnsupported) {
		s.t.Fatalf("a consumer: %v, want ErrUnsupported", err)
	}
	topics, err := kadm.NewClient(s.client()).ListTopics(s.t.Context())
	if err != nil || topics.Has(codec.NativeTopic) && !broker.ids {
		s.t.Errorf("topics %v, error %v", topics.Names(), err)
	}
}

// oldReads runs every command that reads, with a transaction open on orders/1.
func (s *brokerScene) oldReads(broker posed) {
	s.t.Helper()
	open := "!open-transaction"
	if broker.speaks.HasKey(kmsg.EndTxn.Int16()) {
		defer s.transaction("orders", 1)()
		open = "open-transaction orders/1"
	}
	row := "orders/0              3   15   20  3-5,9            4         9   17"
	s.want("list --all", exitOK, "billing", "!"+lacks)
	s.want("describe --all", exitOK, row, "!"+lacks)
	s.want("describe billing -o json", exitOK, `"outstanding":8`)
	s.want("gaps billing -o csv", exitOK, "billing,orders,1,3,5,3")
	s.want("records billing -o csv", exitOK, "key-9", "!key-8")
	s.want("map billing --ascii", exitOK, "stable 3", "max 15")
	s.want("report billing --file DIR/billing.html", exitOK)
	s.want("history billing", exitFailure, "only Apache Kafka itself has") // and kfake is not
	s.want("describe nobody", exitFailure, "no group nobody")
	s.want("compact billing", exitOK, "nothing changes")
	s.want("reset billing --to-datetime 2020-01-01T00:00:00Z", exitOK, "back to 0")
	switch {
	case open[0] == '!' || broker.named:
		s.want("check", exitOK, open, "!"+lacks)
	case broker.producers:
		s.want("check", exitOK, open, "by producer", "its ID can not be told", lacks+"3.0")
	default:
		s.want("check", exitOK, open, "whose it is can not be told", lacks+"2.8")
	}
}

// transaction opens a transaction, until the result is called.
func (s *brokerScene) transaction(topic string, partition int32) (end func()) {
	s.t.Helper()
	p, err := gapstore.NewProducer(s.dial, kgo.TransactionalID("writer"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(p.Close)
	if err := p.BeginTransaction(); err != nil {
		s.t.Fatal(err)
	}
	if err := p.ProduceSync(s.t.Context(), &kgo.Record{Topic: topic, Partition: partition}).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		if err := p.EndTransaction(s.t.Context(), kgo.TryAbort); err != nil {
			s.t.Error(err)
		}
	}
}

// oldRepairs runs every repair.
func (s *brokerScene) oldRepairs(broker posed) {
	s.t.Helper()
	s.repairs("billing")
	const replay, convert = "replay billing --to-topic retry --execute --yes", "convert billing --to native --execute --yes"
	guarded := "only members of the group can commit in (KIP-447)" + lacks + "2.5"
	switch {
	case broker.transacts:
		s.want(replay, exitOK, "applied")
		s.copied("retry", 8)
	default:
		s.want(replay, exitRefused, guarded, "hint: ")
		s.want("describe billing", exitOK, "3-5,9")
		s.want("replay billing --to-stdout --execute --yes", exitOK, `"offset":9`, "applied")
	}
	switch {
	case !broker.ids:
		s.want(convert, exitRefused, "topic IDs", "2.8")
	case !broker.transacts:
		s.want(convert, exitRefused, guarded)
	default:
		s.want(convert, exitOK, "applied")
		s.want("describe billing", exitOK, "native")
	}
}

// repairs repairs a group with the gaps of the scene in all ways that need no
// transaction, and takes it back.
func (s *brokerScene) repairs(group string) {
	s.t.Helper()
	s.want("describe "+group+" -o json", exitOK)
	skipped := s.run("skip " + group + " orders/0@4 --execute --yes")
	skipped.want(s.t, exitOK, "applied")
	s.want("describe "+group, exitOK, "3,5,9")
	s.undo(skipped)
	s.want("describe "+group, exitOK, "3-5,9", "!3,5,9")
	s.want("reset "+group+" --topic orders --to-offset 2 --keep-done --plan DIR/"+group+".json", exitOK)
	applied := s.run("apply DIR/" + group + ".json --execute --yes")
	applied.want(s.t, exitOK, "applied")
	s.want("describe "+group, exitOK, "2-5,9")
	s.undo(applied)
	converted := s.run("convert " + group + " --to greyhound --execute --yes")
	converted.want(s.t, exitOK, "applied")
	s.want("describe "+group, exitOK, "greyhound", "3-5,9")
	s.undo(converted)
}
