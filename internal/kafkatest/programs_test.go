package kafkatest

import (
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// commits are the group's commits as the broker has them.
func commits(t *testing.T, b *Broker, group string) kadm.OffsetResponses {
	t.Helper()
	fetched, err := kadm.NewClient(b.Client()).FetchOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	return fetched
}

// without are the offsets [0,end) that the rule does not match.
func without(end int64, matches func(int64) bool) []int64 {
	var kept []int64
	for offset := range end {
		if !matches(offset) {
			kept = append(kept, offset)
		}
	}
	return kept
}

func TestPCProcessesAllButTheFailing(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("pc-orders", 2, nil)
	broker.Fill("pc-orders", 2, 200)
	for _, commit := range []string{"async", "sync"} {
		group := "pc-" + commit
		result := broker.RunPC(PCOptions{Group: group, Topics: []string{"pc-orders"}, Commit: commit, Fail: EveryPlus(37, 3)})
		want := without(200, func(offset int64) bool { return offset%37 == 3 })
		for partition := range int32(2) {
			at := TopicPartition{"pc-orders", partition}
			if !slices.Equal(result.Processed[at], want) {
				t.Errorf("%s: %v processed %v", group, at, result.Processed[at])
			}
			commit, ok := commits(t, broker, group).Lookup(at.Topic, partition)
			if !ok || commit.At != 3 || commit.Metadata == "" {
				t.Errorf("%s: commit of %v is %+v", group, at, commit)
			}
		}
		t.Logf("%s took %v", group, result.Took)
	}
}

func TestPCTransactionsLeaveMarkers(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("pc-in", 1, nil)
	broker.CreateTopic("pc-out", 1, nil)
	broker.Fill("pc-in", 1, 50)
	fail := Listed(map[TopicPartition][]int64{{"pc-in", 0}: {7, 20}})
	result := broker.RunPC(PCOptions{Group: "pc-txn", Topics: []string{"pc-in"}, Commit: "transaction", Output: "pc-out", Fail: fail})
	want := without(50, func(offset int64) bool { return offset == 7 || offset == 20 })
	if got := result.Processed[TopicPartition{"pc-in", 0}]; !slices.Equal(got, want) {
		t.Errorf("processed %v", got)
	}
	if seen := consume(t, broker, "pc-out", 48); len(seen) != 48 || seen["pc-in/0@7"] != 0 {
		t.Errorf("output holds %v", seen)
	}
	ends, err := kadm.NewClient(broker.Client()).ListEndOffsets(t.Context(), "pc-out")
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := ends.Lookup("pc-out", 0); end.Offset <= 48 {
		t.Errorf("log ends at %d: no marker takes an offset", end.Offset)
	}
	t.Logf("took %v", result.Took)
}

func TestPCByKeyStopsBehindAFailure(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("pc-keys", 1, nil)
	broker.Fill("pc-keys", 1, 40)
	pc := broker.StartPC(PCOptions{Group: "pc-key", Topics: []string{"pc-keys"}, Order: "key", Fail: Listed(map[TopicPartition][]int64{{"pc-keys", 0}: {4}})})
	result := pc.Wait()
	want := without(40, func(offset int64) bool { return offset%10 == 4 })
	if got := result.Processed[TopicPartition{"pc-keys", 0}]; !slices.Equal(got, want) {
		t.Errorf("processed %v, want all but key-4", got)
	}
}

func TestCodecReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	codec := PCCodec(t)
	incompletes := [][2]int64{{1000, 1003}, {1010, 1011}}
	encoded, err := codec.Encode(1000, 1100, incompletes)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded.Encodings) < 8 || encoded.Chosen == "" {
		t.Fatalf("encodings %v", encoded)
	}
	for name, metadata := range encoded.Encodings {
		decoded, err := codec.Decode(1000, metadata)
		if err != nil || decoded.Highest == nil || *decoded.Highest != 1100 || !slices.Equal(decoded.Incompletes, incompletes) {
			t.Errorf("%s: %+v, %v", name, decoded, err)
		}
	}
	if decoded, err := codec.Decode(1000, "not base64!"); err == nil {
		t.Errorf("nonsense decoded to %+v", decoded)
	}
}

func TestShareAcknowledgesByTheRule(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("payments", 2, nil)
	broker.Fill("payments", 2, 60)
	acks := broker.RunShare(ShareOptions{Group: "share", Topics: []string{"payments"},
		Reject: Every(13), Release: EveryPlus(20, 1), UntilCovered: true})
	types := map[TopicPartition]map[int64]string{}
	for _, ack := range acks {
		at := TopicPartition{ack.Topic, ack.Partition}
		if types[at] == nil {
			types[at] = map[int64]string{}
		}
		types[at][ack.Offset] = ack.Type
		if ack.DeliveryCount < 1 || ack.DeliveryCount > 1 && ack.Type != "release" {
			t.Errorf("%+v", ack)
		}
	}
	for partition := range int32(2) {
		for offset := range int64(60) {
			want := "accept"
			if offset%13 == 0 {
				want = "reject"
			} else if offset%20 == 1 {
				want = "release"
			}
			if got := types[TopicPartition{"payments", partition}][offset]; got != want {
				t.Errorf("payments/%d@%d: %s, want %s", partition, offset, got, want)
			}
		}
	}
}

func TestShareGivesUpWhatIsReleasedAgainAndAgain(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("refunds", 1, nil)
	broker.Fill("refunds", 1, 10)
	var most int16
	for _, ack := range broker.RunShare(ShareOptions{Group: "share-again", Topics: []string{"refunds"}, Release: Every(5)}) {
		if ack.Offset == 5 {
			most = max(most, ack.DeliveryCount)
		}
	}
	if most != 5 {
		t.Errorf("offset 5 was delivered %d times; the broker's limit is 5", most)
	}
}

func TestClassicJoinsCommitsAndLeaves(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("clicks", 2, nil)
	broker.Fill("clicks", 2, 20)
	for _, opts := range []ClassicOptions{
		{Group: "classic-range"},
		{Group: "classic-coop", Assignor: "cooperative-sticky"},
		{Group: "classic-848", Protocol: "consumer"},
	} {
		t.Run(opts.Group, func(t *testing.T) {
			t.Parallel()
			opts.Topics, opts.CommitEvery, opts.Metadata = []string{"clicks"}, 10, "note"
			joinCommitLeave(t, Shared(t), opts)
		})
	}
}

func joinCommitLeave(t *testing.T, broker *Broker, opts ClassicOptions) {
	t.Helper()
	consumer := broker.StartClassic(opts)
	if got := consumer.AwaitEvent("assigned").Partitions; !slices.Equal(got, []string{"clicks/0", "clicks/1"}) {
		t.Errorf("assigned %v", got)
	}
	if start := consumer.AwaitEvent("starts"); start.Offset != 0 {
		t.Errorf("starts %+v", start)
	}
	for partition := range int32(2) {
		consumer.Await("all committed", func(e ClassicEvent) bool {
			return e.Event == "committed" && e.Partition == partition && e.Offset == 20
		})
		commit, ok := commits(t, broker, opts.Group).Lookup("clicks", partition)
		if !ok || commit.At != 20 || commit.Metadata != "note" {
			t.Errorf("commit %+v", commit)
		}
	}
	if events := consumer.Stop(); events[len(events)-1].Event != "closed" {
		t.Errorf("ended with %+v", events)
	}
}

func TestToolsSeeTheGroup(t *testing.T) {
	t.Parallel()
	broker := Shared(t)
	broker.CreateTopic("tooled", 1, nil)
	broker.Fill("tooled", 1, 5)
	broker.RunPC(PCOptions{Group: "tooled-group", Topics: []string{"tooled"}, Fail: Every(3)})
	out := broker.Tool("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
		"--bootstrap-server", broker.Addr(), "--describe", "--group", "tooled-group")
	if !strings.Contains(out, "tooled-group") || !strings.Contains(out, "tooled ") {
		t.Errorf("the tool printed\n%s", out)
	}
}
