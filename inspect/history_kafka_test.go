package inspect

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

func historyKafka(t *testing.T, broker *kafkatest.Broker, g *Group) History {
	t.Helper()
	store, err := gapstore.Open(t.Context(), dialer(broker.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	h, err := ReadHistory(t.Context(), store, g, HistoryQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The history of a real Parallel Consumer ends with what is committed now, each
// commit goes on from the one before, and a commit that was aborted is no part
// of it; with plain commits as well as with transactional ones.
func TestKafkaHistory(t *testing.T) {
	broker := kafkatest.Shared(t)
	for _, mode := range []string{"async", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			const records = 200
			topic, name := "history-"+mode, "history-group-"+mode
			broker.CreateTopic(topic, 1, nil)
			broker.Fill(topic, 1, records)
			opts := kafkatest.PCOptions{Group: name, Topics: []string{topic}, Commit: mode, Fail: kafkatest.Every(37)}
			if mode == "transaction" {
				opts.Output = topic + "-out"
				broker.CreateTopic(opts.Output, 1, nil)
			}
			broker.RunPC(opts)
			aborted := broker.Client(kgo.TransactionalID("history-tx-" + mode))
			beginOffsets(t, aborted, "history-tx-"+mode, name, topic, 150)
			endOffsets(t, aborted, "history-tx-"+mode, false)

			g := group(t, gatherKafka(t, broker, Query{Groups: []string{name}}), name)
			h := historyKafka(t, broker, g)
			if len(h.Commits) == 0 {
				t.Fatal("no commits")
			}
			p, last := &g.Partitions[0], h.Commits[len(h.Commits)-1]
			if last.Stable != p.State.Stable || last.Max != p.State.Max || last.Outstanding != p.State.Outstanding() || last.Format != p.Format {
				t.Errorf("the last commit is %+v, the group has %+v", last, p.State)
			}
			outstanding := h.Commits[0].Outstanding
			for i, c := range h.Commits {
				if c.Committed == 150 {
					t.Errorf("an aborted commit: %+v", c)
				}
				if i == 0 {
					continue
				}
				outstanding += c.Opened.Count - c.Closed.Count
				// Records in flight may be undone: Parallel Consumer up to 0.5.3
				// now and then commits them as done (astubbs/parallel-consumer#344).
				if !c.Compared || c.At.Before(h.Commits[i-1].At) || c.Outstanding != outstanding || !c.Undone.Ranges.Sub(c.Opened.Ranges).Empty() {
					t.Errorf("commit %d: %+v, want %d outstanding by what opened and closed", i, c, outstanding)
				}
			}
		})
	}
}

// The history of a share group ends with its state.
func TestKafkaShareHistory(t *testing.T) {
	broker := kafkatest.Shared(t)
	const topic, name = "history-share", "history-sharers"
	broker.CreateTopic(topic, 2, nil)
	broker.Fill(topic, 2, 30)
	broker.RunShare(kafkatest.ShareOptions{Group: name, Topics: []string{topic}, UntilCovered: true, Release: kafkatest.EveryPlus(7, 3)})
	g := group(t, gatherKafka(t, broker, Query{Groups: []string{name}}), name)
	h := historyKafka(t, broker, g)
	for i := range g.Partitions {
		p := &g.Partitions[i]
		last := slices.IndexFunc(h.Commits, func(c Commit) bool { return c.Partition == p.Partition })
		for k, c := range h.Commits {
			if c.Topic != topic {
				t.Fatalf("a commit of %q", c.Topic)
			}
			if c.Partition == p.Partition {
				last = k
			}
		}
		if last < 0 {
			t.Fatalf("no commit of %v", p.Key)
		}
		if c := h.Commits[last]; c.Stable != p.State.Stable || c.Max != p.State.Max || c.Outstanding != p.State.Outstanding() {
			t.Errorf("the last of %v is %+v, the group has %+v", p.Key, c, p.State)
		}
	}
}
