package cmd

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// readRequests are those that leave a cluster as it is. What is not among them
// may write.
func readRequests() map[kmsg.Key]bool {
	allowed := map[kmsg.Key]bool{}
	for _, k := range []kmsg.Key{
		kmsg.ApiVersions, kmsg.Metadata, kmsg.FindCoordinator, kmsg.ListGroups, kmsg.DescribeGroups, kmsg.ConsumerGroupDescribe,
		kmsg.OffsetFetch, kmsg.ListOffsets, kmsg.Fetch, kmsg.DescribeConfigs, kmsg.DescribeCluster, kmsg.OffsetForLeaderEpoch,
		kmsg.ListTransactions, kmsg.DescribeTransactions, kmsg.DescribeProducers, kmsg.DescribeTopicPartitions,
		kmsg.ShareGroupDescribe, kmsg.DescribeShareGroupOffsets, kmsg.ReadShareGroupState, kmsg.ReadShareGroupStateSummary,
	} {
		allowed[k] = true
	}
	return allowed
}

// TestReadersWriteNothing: no command that reads sends a request that could
// change anything, nor does a repair without --execute.
func TestReadersWriteNothing(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders", "retry"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	gapsFor(t, "billing", kgo.SeedBrokers(cluster.ListenAddrs()[0]))
	var mu sync.Mutex
	asked := map[kmsg.Key]int{}
	cluster.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		mu.Lock()
		defer mu.Unlock()
		asked[kmsg.Key(req.Key())]++
		return nil, nil, false
	})
	dir := t.TempDir()
	env := map[string]string{"XDG_STATE_HOME": dir, "GAPCTL_CONFIG": filepath.Join(dir, "config.yaml")}
	snapshot := filepath.Join(dir, "before.json")
	for _, line := range []string{
		"list --all", "describe billing", "gaps billing", "records billing", "map billing", "history billing", "check",
		"report billing", "watch billing --count 1", "diff " + snapshot,
		"skip billing orders/0@3", "reset billing --to-latest", "reset billing --to-latest --topic orders --topic retry", "compact billing",
		"convert billing --to native", "replay billing --to-topic retry", "replay billing --exec true",
		"__complete describe b", "__complete records billing --topic o",
	} {
		t.Run(line, func(t *testing.T) {
			mu.Lock()
			clear(asked)
			mu.Unlock()
			args := append(strings.Fields(line), "-b", cluster.ListenAddrs()[0])
			if strings.HasPrefix(line, "__complete") { // its last argument is what is completed
				args = append([]string{args[0], args[1], "-b", cluster.ListenAddrs()[0]}, strings.Fields(line)[2:]...)
			}
			code, out, errs := runWith(t.Context(), env, args...)
			if line == "describe billing" {
				_, doc, _ := runWith(t.Context(), env, append(args, "-o", "json")...)
				writeFile(t, snapshot, doc)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(asked) < 2 || code == exitUsage {
				t.Fatalf("exit code %d after %v\n%s%s", code, asked, out, errs)
			}
			allowed := readRequests()
			for key := range asked {
				if !allowed[key] {
					t.Errorf("sent %s", key.Name())
				}
			}
		})
	}
}
