package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// A replay that is killed at any moment, and run again, delivers each record
// exactly once to read-committed readers, and closes all gaps.
func TestKafkaReplayKilled(t *testing.T) {
	const group, partitions, each, kills = "killed", 3, 8000, 20 // 12,000 are outstanding: more than the rate lets through in 20 × 2.2 s
	broker := kafkatest.Start(t)
	broker.CreateTopic("orders", partitions, nil)
	broker.CreateTopic("retry", partitions, nil)
	broker.Fill("orders", partitions, each)
	client := broker.Client()
	outstanding := commitEverySecond(t, client, group, partitions, each)
	replay := []string{"replay", group, "--to-topic", "retry", "--rate", "125", "--execute", "--yes", "-b", broker.Addr(), "--timeout", "60s"}
	state := "XDG_STATE_HOME=" + t.TempDir()
	cut := 0
	for range kills {
		cmd := gapctlProcess(t, state, replay...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200*time.Millisecond + rand.N(2*time.Second)) // the moment is what is tried
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() < 0 {
			cut++
		}
		expire(t, client, group)
	}
	if cut < kills {
		t.Errorf("killed %d times of %d: it was too fast", cut, kills)
	}
	if out, err := gapctlProcess(t, state, append(replay, "--rate", "0")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mustBeCopiedOnce(t, broker, group, each, int(outstanding))
}

// mustBeCopiedOnce insists that each outstanding record was copied once, and
// that nothing is outstanding any more.
func mustBeCopiedOnce(t *testing.T, broker *kafkatest.Broker, group string, each int64, outstanding int) {
	t.Helper()
	if got := readCopies(t, broker, "retry", outstanding); len(got) != outstanding {
		t.Errorf("%d records were copied, want %d", len(got), outstanding)
	} else {
		for at, n := range got {
			if n != 1 {
				t.Errorf("%s was copied %d times", at, n)
			}
		}
	}
	offsets, err := kadm.NewClient(broker.Client()).FetchOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	offsets.Each(func(o kadm.OffsetResponse) {
		if d, err := codec.Decode(o.Metadata, o.At); err != nil || !d.State.Equal(codec.Complete(each)) {
			t.Errorf("%s/%d: %+v, %v", o.Topic, o.Partition, d.State, err)
		}
	})
}

// gapctlProcess is the real command in a process of its own.
func gapctlProcess(t *testing.T, env string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Args[0] = "gapctl" // which makes this binary be the command
	cmd.Env = append(os.Environ(), env)
	return cmd
}

// commitEverySecond commits the odd offsets below each; the even ones are
// outstanding, and their number is returned.
func commitEverySecond(t *testing.T, client *kgo.Client, group string, partitions int32, each int64) int64 {
	t.Helper()
	var gaps []codec.Range
	for offset := int64(0); offset < each; offset += 2 {
		gaps = append(gaps, codec.Range{Start: offset, End: offset + 1})
	}
	state := codec.State{Max: each, Gaps: codec.NewRanges(gaps...)}
	encoded, err := codec.Encode(state, "parallel-consumer", "")
	if err != nil {
		t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	for p := range partitions {
		offsets.Add(kadm.Offset{Topic: "orders", Partition: p, At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	}
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets); err != nil {
		t.Fatal(err)
	}
	return state.Outstanding() * int64(partitions)
}

// expire does what time would do: the killed member leaves the group, and its
// transaction is aborted.
func expire(t *testing.T, client *kgo.Client, group string) {
	t.Helper()
	described, err := kadm.NewClient(client).DescribeGroups(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range described[group].Members {
		expireMember(t, client, group, member.MemberID)
	}
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = kmsg.StringPtr("gapctl-"+group), 30_000
	req.ProducerID, req.ProducerEpoch = -1, -1
	for {
		resp, err := req.RequestWith(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		switch err := kerr.ErrorForCode(resp.ErrorCode); {
		case err == nil:
			return
		case !errors.Is(err, kerr.ConcurrentTransactions):
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func expireMember(t *testing.T, client *kgo.Client, group, id string) {
	t.Helper()
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = group
	req.Members = append(req.Members, kmsg.LeaveGroupRequestMember{MemberID: id})
	if _, err := req.RequestWith(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

// readCopies is how often each record, by its headers, is in the topic, for
// read-committed readers.
func readCopies(t *testing.T, broker *kafkatest.Broker, topic string, want int) map[string]int {
	t.Helper()
	client := broker.Client(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	ends, err := kadm.NewClient(client).ListCommittedOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	copies := map[string]int{}
	read := map[int32]int64{}
	for n := 0; n < want; {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			n++
			at := strconv.Itoa(int(r.Partition))
			for _, h := range r.Headers {
				if h.Key == "__dlq.errors.partition" && string(h.Value) != at {
					t.Errorf("a copy of partition %s is in %s", h.Value, at)
				}
				if h.Key == "__dlq.errors.offset" {
					at += "@" + string(h.Value)
				}
			}
			copies[at]++
			read[r.Partition] = r.Offset + 1
		})
	}
	// Only the marker of a transaction may follow the last copy.
	ends.Each(func(o kadm.ListedOffset) {
		if left := o.Offset - read[o.Partition]; left > 1 {
			t.Errorf("%d offsets follow the last copy in %d", left, o.Partition)
		}
	})
	return copies
}
