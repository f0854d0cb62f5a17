package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// release is what a release of Apache Kafka has.
type release struct {
	version  string
	consumer bool // groups of the consumer protocol (KIP-848)
	share    shareSupport
}

// shareSupport is how far a release has share groups (KIP-932).
type shareSupport int

const (
	shareNone    shareSupport = iota
	sharePreview              // in a protocol of its own
	shareFixed                // but their offsets can not be reset
	shareFull
)

func releases() []release {
	return []release{
		{"3.9.2", false, shareNone},
		{"4.0.2", true, sharePreview},
		{"4.1.2", true, shareFixed},
		{"4.2.1", true, shareFull},
		{"4.4.0", true, shareFull},
	}
}

// TestKafkaReleases: the same groups and commands on real brokers, from the
// last with ZooKeeper to the newest, two of them at a time.
func TestKafkaReleases(t *testing.T) {
	t.Parallel()
	kafkatest.Require(t)
	turn := make(chan struct{}, 2)
	for _, r := range releases() {
		t.Run(r.version, func(t *testing.T) {
			t.Parallel()
			turn <- struct{}{}
			defer func() { <-turn }()
			b := kafkatest.Start(t, r.options()...)
			s := &releaseScene{newBrokerScene(t, b.Addr()), r}
			s.build(b)
			s.read()
			s.repairAll()
			s.repairShared()
		})
	}
}

// options turn the preview of share groups on; that of 4.1 is on already.
func (r release) options() []kafkatest.Option {
	options := []kafkatest.Option{kafkatest.Version(r.version)}
	if r.share == sharePreview {
		options = append(options, kafkatest.Property("unstable.api.versions.enable", "true"), kafkatest.Property("group.share.enable", "true"),
			kafkatest.Property("group.coordinator.rebalance.protocols", "classic,consumer,share"))
	}
	return options
}

// releaseScene is a group of every kind that a release has.
type releaseScene struct {
	*brokerScene
	release
}

func (s *releaseScene) build(b *kafkatest.Broker) {
	s.t.Helper()
	s.topic("orders", sceneRecords)
	s.topic("retry", 0)
	s.gapCommit("billing", "orders")
	if err := s.nativeGroup("loyalty", "orders"); err != nil {
		s.t.Fatal(err)
	}
	if s.consumer {
		s.consumerGroup("modern", "orders")
	}
	switch s.share {
	case shareNone:
	case sharePreview: // only the preview's own client can talk to it
		b.Tool("org.apache.kafka.tools.consumer.ConsoleShareConsumer",
			"--bootstrap-server", b.Addr(), "--topic", "orders", "--group", "shipping", "--timeout-ms", "1500")
	default:
		s.shareGroup("shipping", "orders")
	}
}

// groups are the groups that can be read, and their types.
func (s *releaseScene) groups() map[string]string {
	types := map[string]string{"billing": "classic", "loyalty": "classic"}
	if s.consumer {
		types["modern"] = "consumer"
	}
	if s.share >= shareFixed {
		types["shipping"] = "share"
	}
	return types
}

// seen is how reading every group ends, and what it says on the way: a share
// group of the preview is told once, and all others are read.
func (s *releaseScene) seen() (code int, lacking string) {
	if s.share == sharePreview {
		return exitPartial, "group shipping: read the offsets of share group shipping: the broker has no share groups (KIP-932)" + lacks + "4.1"
	}
	return exitOK, "!" + lacks
}

func (s *releaseScene) read() {
	s.t.Helper()
	code, lacking := s.seen()
	s.want("list --all", code, lacking, "billing", "loyalty")
	s.want("describe --all", code, lacking, "parallel-consumer", "native")
	s.describeJSON(code)
	names := "billing loyalty"
	for group := range s.groups() {
		if !strings.Contains(names, group) {
			names += " " + group
		}
		s.want("gaps "+group+" -o csv", exitOK, group+",orders,1,", "!"+lacks)
		s.want("records "+group+" -o csv", exitOK, "orders,0,", "!key-8")
		s.want("history "+group, exitOK, "orders/0")
		s.want("report "+group+" --file DIR/"+group+".html", exitOK)
	}
	s.want("map --ascii "+names, exitOK, "stable 3", "max 15")
	s.want("map nobody --ascii "+names, exitFailure, "stable 3", "no group nobody")
	s.want("compact billing", exitOK, "nothing changes")
	s.want("compact loyalty", exitOK, "nothing changes")
	switch s.share {
	case shareNone:
		s.want("check", exitOK, "nothing to report")
	case sharePreview:
		s.want("check", exitPartial, lacking)
		for _, line := range []string{"describe shipping", "records shipping", "map shipping", "gaps shipping",
			"skip shipping orders/0@7", "reset shipping --to-earliest", "replay shipping --rejected --to-topic retry", "compact shipping"} {
			s.want(line, exitFailure, "share groups (KIP-932)"+lacks+"4.1", "hint: ")
		}
	default:
		s.want("check", exitFindings, "warn rejected orders/0", "!"+lacks)
		s.want("compact shipping", exitRefused, "is a share group")
	}
}

// describeJSON checks what a script would see of every group, and keeps it.
func (s *releaseScene) describeJSON(code int) {
	s.t.Helper()
	got := s.run("describe --all -o json")
	got.want(s.t, code)
	var doc struct {
		Groups []struct {
			Group, Type string
			Outstanding *int64
		}
	}
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil {
		s.t.Fatal(err)
	}
	read := map[string]string{}
	for _, g := range doc.Groups {
		want := int64(8)
		if g.Type == "share" {
			want = 6
		}
		switch {
		case g.Outstanding == nil || s.groups()[g.Group] == "":
		case *g.Outstanding != want:
			s.t.Errorf("%s: %d outstanding, want %d", g.Group, *g.Outstanding, want)
		default:
			read[g.Group] = g.Type
		}
	}
	for group, kind := range s.groups() {
		if read[group] != kind {
			s.t.Errorf("%s has the type %q, want %q", group, read[group], kind)
		}
	}
	writeFile(s.t, s.dir+"/before.json", got.out)
}

// repairAll repairs what consumers have committed, in every way.
func (s *releaseScene) repairAll() {
	s.t.Helper()
	s.repairs("billing")
	if s.consumer {
		s.repairs("modern")
		s.want("convert modern --to native --execute --yes", exitOK, "applied")
		s.want("describe modern", exitOK, "3-5,9", "native")
	}
	skipped := s.run("skip loyalty orders/0@4 --execute --yes")
	skipped.want(s.t, exitOK, "applied")
	s.want("describe loyalty", exitOK, "3,5,9", "native")
	s.undo(skipped)
	s.want("replay billing --to-topic retry --execute --yes", exitOK, "applied")
	s.want("replay loyalty --to-topic retry --execute --yes", exitOK, "applied")
	s.copied("retry", 16)
	code, lacking := s.seen()
	s.want("diff DIR/before.json", code, "billing", "3-5,9", lacking)
}

// repairShared repairs the share group, as far as it can be.
func (s *releaseScene) repairShared() {
	s.t.Helper()
	if s.share < shareFixed {
		return
	}
	s.want("skip shipping orders/0@7 --execute --yes", exitOK, "applied")
	s.want("describe shipping", exitOK, " 0,14 ", "0,7,14")
	s.want("replay shipping --rejected --to-topic retry --execute --yes", exitOK, "applied")
	s.copied("retry", 18)
	const reset = "reset shipping --topic orders/0 --to-offset 5 --execute --yes"
	if s.share == shareFixed {
		s.want(reset, exitRefused, "the broker has no resets of share groups"+lacks+"4.2", "hint: ")
		s.want("describe shipping", exitOK, " 0,14 ")
		return
	}
	s.want(reset, exitOK, "applied")
	s.want("describe shipping", exitOK, "orders/0              5", "!"+lacks)
}
