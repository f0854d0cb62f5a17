package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestMain(m *testing.M) { Main(m) }

// consume reads n records of a topic from its beginning and counts values.
func consume(t *testing.T, b *Broker, topic string, n int) map[string]int {
	t.Helper()
	client := b.Client(kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	seen := map[string]int{}
	for total := 0; total < n; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d of %d records: %v", total, n, err)
		}
		fetches.EachRecord(func(r *kgo.Record) { seen[string(r.Value)]++; total++ })
	}
	return seen
}

func TestRecordsSurviveStopAndKill(t *testing.T) {
	t.Parallel()
	broker := Start(t)
	broker.CreateTopic("orders", 2, map[string]string{"cleanup.policy": "compact"})
	broker.Fill("orders", 2, 50)
	addr := broker.Addr()
	for _, end := range []func(){broker.Stop, broker.Kill} {
		end()
		if broker.process.running() {
			t.Fatal("the process runs on")
		}
		broker.Restart()
	}
	if broker.Addr() != addr {
		t.Fatalf("address %s became %s", addr, broker.Addr())
	}
	if seen := consume(t, broker, "orders", 100); len(seen) != 100 {
		t.Fatalf("%d distinct records of 100", len(seen))
	}
}
